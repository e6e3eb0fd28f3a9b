#include "app/cli/heads_work.h"

#include "app/cli/command.h"
#include "app/cli/heads_input.h"
#include "core/base/text.h"
#include "core/export/part_texts.h"
#include "core/export/provenance.h"
#include "core/export/scan_parts.h"
#include "core/heads/score_sequences.h"
#include "core/heads/score_table.h"
#include "core/model/model.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope::cli {

namespace {

/// A long text makes parts of several batches: file systems of clusters do not like many files.
constexpr std::size_t kMostUnits = 1000;

/// Where the batches of these sequences begin, and where the last one ends.
std::vector<std::size_t> batchBorders(const std::vector<InputSequence>& sequences) {
    std::vector<std::size_t> borders{0};
    while (borders.back() < sequences.size())
        borders.push_back(borders.back() + sequencesPerBatch(sequences, borders.back()));
    return borders;
}

class HeadsWork : public Work {
public:
    void addQuestion(CLI::App& app) override {
        addHeadsInput(app, input_);
        addTypesOption(app, types_);
        app.final_callback([this] {
            if (!input_.isOwn())
                refuseUsage("A plan of heads needs --corpus FILE, --conllu FILE or prompts; what "
                            "types are defined by takes one machine seconds.");
        });
    }

    std::vector<std::string> files() const override {
        std::vector<std::string> files;
        for (const std::string& file : {input_.corpus, input_.conllu})
            if (!file.empty())
                files.push_back(file);
        return files;
    }

    Result<WorkQuestion> prepare(std::shared_ptr<const Model> model) override {
        model_ = std::move(model);
        auto own = ownSequences(*model_, input_);
        if (!own)
            return own.error();
        own_ = *std::move(own);
        if (auto checked = checkSequences(own_.sequences); !checked)
            return checked.error();
        borders_ = batchBorders(own_.sequences);
        const std::size_t batches = borders_.size() - 1;
        batches_of_unit_ = (batches + kMostUnits - 1) / kMostUnits;
        WorkQuestion question{scanQuestion(*model_, own_.sequences), {}};
        for (std::size_t first = 0; first < batches; first += batches_of_unit_) {
            const std::size_t begin = borders_[first];
            const std::size_t end = borders_[lastOf(first)];
            question.units.push_back(
                {"sequences " + std::to_string(begin) + " to " + std::to_string(end - 1),
                 end - begin});
        }
        return question;
    }

    Result<std::string> run(std::size_t unit, const Progress& progress) override {
        const std::size_t first = unit * batches_of_unit_;
        const std::size_t last = lastOf(first);
        std::vector<SequenceReading> readings;
        for (std::size_t batch = first; batch < last; ++batch) {
            report(progress, static_cast<double>(batch - first) / static_cast<double>(last - first),
                   "scoring heads");
            auto measured = measureBatch(
                model_, std::span(own_.sequences)
                            .subspan(borders_[batch], borders_[batch + 1] - borders_[batch]));
            if (!measured)
                return measured.error();
            std::ranges::move(*measured, std::back_inserter(readings));
        }
        return scorePartText(readings);
    }

    void addOutput(CLI::App& app) override {
        addTableOptions(app, table_);
        app.final_callback([this] { checkTableUsage(table_); });
    }
    Result<void> checkOutput() const override { return checkTableFolder(table_); }

    bool take(std::size_t unit, const WorkPart& part) override {
        const std::size_t first = unit * batches_of_unit_;
        auto readings = readScorePart(part.content, headIndex(model_->spec),
                                      borders_[lastOf(first)] - borders_[first]);
        if (readings)
            std::ranges::move(*readings, std::back_inserter(readings_));
        return readings.has_value();
    }

    Result<void> deliver() override {
        return deliverScores(table_,
                             scoresOfReadings(model_->spec, own_.sequences, own_.name, readings_),
                             types_, *model_);
    }

private:
    /// Behind the last batch of the unit that begins with this one.
    std::size_t lastOf(std::size_t first) const {
        return std::min(first + batches_of_unit_, borders_.size() - 1);
    }

    HeadsInput input_;
    std::vector<std::string> types_;
    TableOptions table_;
    std::shared_ptr<const Model> model_;
    NamedSequences own_;
    std::vector<std::size_t> borders_; ///< of batches, in sequences
    std::size_t batches_of_unit_ = 1;
    std::vector<SequenceReading> readings_;
};

} // namespace

Result<void> deliverScores(const TableOptions& options, const HeadScores& scores,
                           const std::vector<std::string>& types, const Model& model) {
    const HeadScores shown = types.empty() ? scores : onlyTypes(scores, types);
    const Thresholds thresholds;
    const Provenance provenance = provenanceOf(model);
    const Table grid = scoreGrid(shown, thresholds, provenance);
    return deliverTable(options, scoreTable(shown, thresholds, provenance), {&grid, 1});
}

std::unique_ptr<Work> makeHeadsWork() {
    return std::make_unique<HeadsWork>();
}

} // namespace headscope::cli

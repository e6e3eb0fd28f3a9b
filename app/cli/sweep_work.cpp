#include "app/cli/sweep_work.h"

#include "app/cli/sweep_options.h"
#include "app/cli/table_options.h"
#include "core/export/part_texts.h"
#include "core/export/table_files.h"
#include "core/interventions/sweep.h"
#include "core/interventions/tables.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <utility>

namespace headscope::cli {

namespace {

class SweepWork : public Work {
public:
    void addQuestion(CLI::App& app) override {
        addSweepOptions(app, options_);
        app.final_callback([this] { checkSweepUsage(options_); });
    }

    std::vector<std::string> files() const override {
        std::vector<std::string> files;
        for (const auto& file : {options_.prompt.text_file, options_.prompt.prompts})
            if (file)
                files.push_back(*file);
        return files;
    }

    Result<WorkQuestion> prepare(std::shared_ptr<const Model> model) override {
        auto asked = readSweep(*model, options_);
        if (!asked)
            return asked.error();
        auto steps = SweepSteps::make(std::move(model), asked->question);
        if (!steps)
            return steps.error();
        provenance_ = std::move(asked->provenance);
        steps_.emplace(*std::move(steps));
        WorkQuestion question;
        // All that the numbers depend on but the weights, and in words.
        question.text = tableJson(sweepTable(steps_->merge({}), provenance_));
        for (const SweepStep& step : steps_->steps())
            question.units.push_back({step.name(), step.cost});
        return question;
    }

    Result<std::string> run(std::size_t unit, const Progress& progress) override {
        const std::size_t total = steps_->steps()[unit].units.size();
        std::size_t measured = 0;
        const auto part = steps_->run(unit, [&](std::size_t count) {
            measured += count;
            report(progress, static_cast<double>(measured) / static_cast<double>(total),
                   "ablations");
        });
        if (!part)
            return part.error();
        return sweepPartText(*part);
    }

    void addOutput(CLI::App& app) override {
        addTableOptions(app, table_);
        app.final_callback([this] { checkTableUsage(table_); });
    }
    Result<void> checkOutput() const override { return checkTableFolder(table_); }

    bool take(std::size_t unit, const WorkPart& part) override {
        auto read = readSweepPart(part.content, steps_->steps()[unit]);
        if (!read)
            return false;
        parts_.push_back(*std::move(read));
        return true;
    }

    Result<void> deliver() override {
        return deliverTable(table_, sweepTable(steps_->merge(parts_), provenance_));
    }

private:
    SweepOptions options_;
    TableOptions table_;
    std::optional<SweepSteps> steps_;
    Provenance provenance_;
    std::vector<SweepPart> parts_;
};

} // namespace

std::unique_ptr<Work> makeSweepWork() {
    return std::make_unique<SweepWork>();
}

} // namespace headscope::cli


#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/heads_input.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "app/cli/work.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/export/headvis.h"
#include "core/export/part_texts.h"
#include "core/export/provenance.h"
#include "core/export/scan_parts.h"
#include "core/heads/asked_types.h"
#include "core/heads/examples.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/heads/score_table.h"
#include "core/io/atomic_file.h"
#include "core/model/model.h"
#include "core/trust/measure_trust.h"
#include "core/trust/tables.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

/// The scores of the types with these keys, all where there are none, saying which are not there.
Result<HeadScores> chosenScores(const HeadScores& scores, const std::vector<std::string>& types,
                                const Model& model) {
    if (types.empty())
        return scores;
    auto asked = askedTypes(scores, types, model.spec);
    if (!asked)
        return asked.error();
    for (const std::string& note : asked->notes)
        std::cerr << "headscope-cli: " << escapeControls(note) << '\n';
    return std::move(asked->scores);
}

/// How scores are delivered; `all` prints every score, not only the types that heads have.
struct ScoreOutput {
    TableOptions table;
    bool all = false;
};

void addScoreOutput(CLI::App& app, ScoreOutput& output) {
    addTableOptions(app, output.table);
    app.add_flag("--all", output.all,
                 "Print a column for every type, in place of the types of each head; CSV and JSON "
                 "always hold every score. With --trust: every figure");
}

/// Prints or writes the scores of the types that were chosen.
Result<void> deliverScores(const ScoreOutput& output, const HeadScores& scores,
                           const std::vector<std::string>& types, const Model& model,
                           const std::vector<std::string>& machines = {}) {
    const auto chosen = chosenScores(scores, types, model);
    if (!chosen)
        return chosen.error();
    const HeadScores& shown = *chosen;
    const Thresholds thresholds;
    const Provenance provenance = provenanceOf(model);
    const Table on_screen = output.all ? scoreGrid(shown, thresholds, provenance)
                                       : scoreSummary(shown, thresholds, provenance);
    Table table = scoreTable(shown, thresholds, provenance);
    addMachines(table, machines);
    return deliverTable(output.table, table, {&on_screen, 1});
}

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
        addScoreOutput(app, output_);
        app.final_callback([this] { checkTableUsage(output_.table); });
    }
    Result<void> checkOutput() const override { return checkTableFolder(output_.table); }

    bool take(std::size_t unit, const WorkPart& part) override {
        const std::size_t first = unit * batches_of_unit_;
        auto readings = readScorePart(part.content, headIndex(model_->spec),
                                      borders_[lastOf(first)] - borders_[first]);
        if (readings)
            std::ranges::move(*readings, std::back_inserter(readings_));
        return readings.has_value();
    }

    Result<void> deliver(const std::vector<std::string>& machines) override {
        return deliverScores(output_,
                             scoresOfReadings(model_->spec, own_.sequences, own_.name, readings_),
                             types_, *model_, machines);
    }

private:
    /// Behind the last batch of the unit that begins with this one.
    std::size_t lastOf(std::size_t first) const {
        return std::min(first + batches_of_unit_, borders_.size() - 1);
    }

    HeadsInput input_;
    std::vector<std::string> types_;
    ScoreOutput output_;
    std::shared_ptr<const Model> model_;
    NamedSequences own_;
    std::vector<std::size_t> borders_; ///< of batches, in sequences
    std::size_t batches_of_unit_ = 1;
    std::vector<SequenceReading> readings_;
};

/// The scores of heads on sequences of the user's own, some of them a unit.
std::unique_ptr<Work> makeHeadsWork() {
    return std::make_unique<HeadsWork>();
}

struct HeadsOptions {
    ModelChoice model;
    HeadsInput input;
    std::vector<std::string> types; ///< keys; empty: all
    std::string headvis;            ///< a folder to write; empty: none
    bool trust = false;             ///< what is measured of every label beyond its pattern
    std::string heads;              ///< of that: only these; empty: all
    bool no_effects = false;        ///< of that: without ablating heads
    std::string own_text;           ///< of that: a file; empty: none
    ScoreOutput output;
};

/// What was measured, and on what; `sequences` only where they are the user's own.
struct Scored {
    HeadScores scores;
    std::vector<InputSequence> sequences;
};

Result<Scored> score(const std::shared_ptr<const Model>& model, const HeadsOptions& options) {
    const HeadsInput& input = options.input;
    const ProgressLine line;
    if (!input.isOwn()) {
        auto scores = scoreTypes(model, typesOf(options.types), input.repeats, line.progress());
        if (!scores)
            return scores.error();
        return Scored{*std::move(scores), {}};
    }
    auto own = ownSequences(*model, input);
    if (!own)
        return own.error();
    auto scores = scoreSequences(model, own->sequences, own->name, line.progress());
    if (!scores)
        return scores.error();
    return Scored{*std::move(scores), std::move(own->sequences)};
}

/// Examples come from what the scores were measured on.
Result<void> exportHeadvis(const std::shared_ptr<const Model>& model, const Scored& scored,
                           const HeadsOptions& options) {
    std::vector<InputSequence> sequences = scored.sequences;
    if (!options.input.isOwn()) {
        auto built_in = builtInSequences(*model, options.input.repeats);
        if (!built_in)
            return built_in.error();
        sequences = *std::move(built_in);
    }
    const ProgressLine line;
    const auto heads = attentionExamples(model, sequences, {}, line.progress());
    if (!heads)
        return heads.error();
    const Thresholds thresholds;
    auto written = writeHeadvis(options.headvis, {*model, scored.scores, thresholds, sequences,
                                                  *heads, provenanceOf(*model)});
    if (written)
        std::cout << "wrote " << options.headvis << ", " << heads->size() << " heads\n";
    return written;
}

Result<void> deliverTrust(const std::shared_ptr<const Model>& model, const HeadsOptions& options) {
    TrustOptions asked;
    asked.repeats = options.input.repeats;
    asked.effects = !options.no_effects;
    for (const std::string& key : options.types)
        asked.types.push_back(*headTypeByKey(key));
    if (!options.heads.empty()) {
        const auto heads = parseHeads(options.heads, model->spec);
        if (!heads)
            return heads.error();
        asked.heads = *heads;
    }
    if (!options.own_text.empty()) {
        auto text = textOfFile(options.own_text);
        if (!text)
            return text.error();
        asked.text = *std::move(text);
    }
    const ProgressLine line;
    const auto trust = testLabels(model, asked, line.progress());
    if (!trust)
        return trust.error();
    const Provenance provenance = provenanceOf(*model);
    const Table table = trustTable(*trust, provenance);
    const Table on_screen = options.output.all ? table : trustSummary(*trust, provenance);
    return deliverTable(options.output.table, table, {&on_screen, 1});
}

Result<void> checkOutput(const HeadsOptions& options) {
    return options.headvis.empty() ? checkTableFolder(options.output.table)
                                   : checkNewFolder(options.headvis);
}

Result<void> runHeads(const HeadsOptions& options) {
    if (auto checked = checkOutput(options); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    if (options.trust)
        return deliverTrust(*model, options);
    auto scored = score(*model, options);
    if (!scored)
        return scored.error();
    if (options.headvis.empty())
        return deliverScores(options.output, scored->scores, options.types, **model);
    auto chosen = chosenScores(scored->scores, options.types, **model);
    if (!chosen)
        return chosen.error();
    scored->scores = *std::move(chosen);
    return exportHeadvis(*model, *scored, options);
}

} // namespace

Command headsCommand(CLI::App& parent) {
    const auto options = std::make_shared<HeadsOptions>();
    CLI::App* app = parent.add_subcommand("heads", "Score every head against the known head types");
    addModelOption(*app, options->model)->required(false);
    addHeadsInput(*app, options->input);
    addTypesOption(*app, options->types);
    addScoreOutput(*app, options->output);
    app->add_option("--headvis", options->headvis,
                    "Write the folder that the HeadVis viewer reads as its data/: the scores, and "
                    "examples of what every head attends to")
        ->excludes("--csv")
        ->excludes("--json")
        ->excludes("--output")
        ->excludes("--all");
    CLI::Option* trust = app->add_flag(
        "--trust", options->trust,
        "Test every label: whether it is specific, transfers to other input and is stable, and "
        "whether the head writes anything and the model needs it");
    trust->excludes("--headvis");
    app->add_option("--heads", options->heads, "With --trust: only these, such as 4.1,5.0")
        ->needs(trust);
    app->add_flag("--no-effects", options->no_effects,
                  "With --trust: do not ablate heads; ablation takes most of the time")
        ->needs(trust);
    app->add_option("--own-text", options->own_text,
                    "With --trust: also ask whether labels that are read from random tokens hold "
                    "on tokens of this text file")
        ->type_name(kFileType)
        ->needs(trust);
    app->parse_complete_callback([app, options] {
        requireModel(*app, options->model);
        if (options->trust && options->input.isOwn())
            refuseUsage("--trust tests labels on what their types are defined by, and not on text "
                        "of your own.");
        options->input.repeats.bos = bosNamed(options->input.prompts.bos);
        checkTableUsage(options->output.table);
    });
    return withWork({app, [options] { return runHeads(*options); }}, makeHeadsWork);
}

} // namespace headscope::cli

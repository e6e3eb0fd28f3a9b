#include "app/cli/command.h"
#include "app/cli/heads_input.h"
#include "app/cli/heads_work.h"
#include "app/cli/model_option.h"
#include "app/cli/prompt_options.h"
#include "app/cli/table_options.h"
#include "app/cli/terminal.h"
#include "app/cli/work_command.h"
#include "core/export/headvis.h"
#include "core/export/provenance.h"
#include "core/heads/examples.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/io/atomic_file.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

namespace headscope::cli {

namespace {

struct HeadsOptions {
    ModelChoice model;
    HeadsInput input;
    std::vector<std::string> types; ///< keys; empty: all
    std::string headvis;            ///< a folder to write; empty: none
    TableOptions table;
};

/// What was measured, and on what; `sequences` only where they are the user's own.
struct Scored {
    HeadScores scores;
    std::vector<InputSequence> sequences;
};

Result<Scored> score(const std::shared_ptr<const Model>& model, const HeadsInput& input) {
    const ProgressLine line;
    if (!input.isOwn()) {
        auto scores = scoreHeads(model, input.repeats, line.progress());
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

Result<void> checkOutput(const HeadsOptions& options) {
    return options.headvis.empty() ? checkTableFolder(options.table)
                                   : checkNewFolder(options.headvis);
}

Result<void> runHeads(const HeadsOptions& options) {
    if (auto checked = checkOutput(options); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    auto scored = score(*model, options.input);
    if (!scored)
        return scored.error();
    if (options.headvis.empty())
        return deliverScores(options.table, scored->scores, options.types, **model);
    if (!options.types.empty())
        scored->scores = onlyTypes(scored->scores, options.types);
    return exportHeadvis(*model, *scored, options);
}

} // namespace

Command headsCommand(CLI::App& parent) {
    const auto options = std::make_shared<HeadsOptions>();
    CLI::App* app = parent.add_subcommand("heads", "Score every head against the known head types");
    addModelOption(*app, options->model)->required(false);
    addHeadsInput(*app, options->input);
    addTypesOption(*app, options->types);
    addTableOptions(*app, options->table);
    app->add_option("--headvis", options->headvis,
                    "Write the folder that the HeadVis viewer reads as its data/: the scores, and "
                    "examples of what every head attends to")
        ->excludes("--csv")
        ->excludes("--json")
        ->excludes("--output");
    app->parse_complete_callback([app, options] {
        requireModel(*app, options->model);
        options->input.repeats.bos = bosMode(options->input.prompts.bos);
        checkTableUsage(options->table);
    });
    return withWork({app, [options] { return runHeads(*options); }}, makeHeadsWork);
}

} // namespace headscope::cli

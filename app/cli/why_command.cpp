#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "core/ask/parameter.h"
#include "core/attribution/score_tables.h"
#include "core/attribution/score_words.h"
#include "core/export/graphml.h"
#include "core/export/provenance.h"
#include "core/interventions/part_removal.h"
#include "core/interventions/question_words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

/// Rows that fit the screen of a terminal beside each other.
constexpr std::size_t kShownParts = 8;

struct WhyOptions {
    ModelChoice model;
    PromptOptions prompt;
    ScoreWords cell;
    std::string ablated;
    std::string ablation = "zero";
    std::size_t signals = 0;
    bool dimensions = false;
    bool all_keys = false;
    bool trace = false;
    std::string graph; ///< file
    std::string removed;
    std::string token;
    std::optional<std::string> against_token;
    double least = 0.1;
    std::size_t nodes = 20;
    double follow_from = 0.0;
    std::vector<std::string> followed; ///< "3.5:7"
    TableOptions table;
};

Result<void> showTrace(const StreamRun& run, const WhyOptions& options,
                       const Provenance& provenance) {
    TraceQuestion question;
    question.least_share = options.least;
    question.most_nodes = options.nodes;
    question.least_followed = options.follow_from;
    for (const std::string& text : options.followed) {
        const auto place = readTracePlace(run, text);
        if (!place)
            return place.error();
        question.followed.push_back(*place);
    }
    if (options.token.empty()) {
        const auto cell = readScoreQuestion(run, options.cell);
        if (!cell)
            return cell.error();
        question.root = *cell;
    } else {
        const auto target =
            readLogitTarget(run, {options.token, options.against_token, options.cell.query},
                            options.prompt.ids.has_value());
        if (!target)
            return target.error();
        question.root = *target;
    }
    const auto trace = traceBack(run, question);
    if (!trace)
        return trace.error();
    if (!options.graph.empty())
        if (auto written = writeGraphMl(options.graph, traceGraph(*trace, provenance)); !written)
            return written;
    return deliverTable(options.table, traceTable(*trace, run.model(), provenance));
}

Result<void> showRemoval(const StreamRun& run, const WhyOptions& options, const ScoreQuestion& cell,
                         const Provenance& provenance) {
    const auto question = parseRemoval(options.removed, cell, run);
    if (!question)
        return question.error();
    const auto removal = removePart(run, *question);
    return removal ? deliverTable(options.table, removalTable(*removal, run.model(), provenance))
                   : removal.error();
}

Result<void> showScore(const StreamRun& run, const WhyOptions& options,
                       const Provenance& provenance) {
    const auto question = readScoreQuestion(run, options.cell);
    if (!question)
        return question.error();
    if (options.dimensions && options.all_keys) {
        const auto dimensions = queryDimensions(run, question->head, question->query);
        return dimensions ? deliverTable(options.table,
                                         queryDimensionsTable(*dimensions, run.model(), provenance))
                          : dimensions.error();
    }
    if (options.dimensions) {
        const auto dimensions = scoreDimensions(run, *question);
        return dimensions ? deliverTable(options.table,
                                         dimensionsTable(*dimensions, run.model(), provenance))
                          : dimensions.error();
    }
    if (options.signals > 0) {
        const auto signals = scoreSignals(run, *question, options.signals);
        if (!signals)
            return signals.error();
        const Table table = signalsTable(*signals, run.model(), provenance);
        Table shown = table;
        shown.rows.resize(std::min(shown.rows.size(), options.signals));
        return deliverTable(options.table, table, {&shown, 1});
    }
    if (!options.removed.empty())
        return showRemoval(run, options, *question, provenance);
    const auto parts = takeScoreApart(run, *question);
    if (!parts)
        return parts.error();
    const Table table = scoreTable(*parts, run.model(), provenance);
    std::array shown{sideTable(*parts, HeadSide::Key, kShownParts, provenance),
                     sideTable(*parts, HeadSide::Query, kShownParts, provenance),
                     pairsTable(*parts, kShownParts, provenance)};
    shown.front().caption = table.caption + "\n\n" + shown.front().caption;
    return deliverTable(options.table, table, shown);
}

Result<void> runWhy(const WhyOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto prompt = readPrompt(**model, options.prompt);
    if (!prompt)
        return prompt.error();
    const auto kind = options.ablation == "mean" ? AblationKind::Mean : AblationKind::Zero;
    const auto mask = parseHeadMask(options.ablated, (*model)->spec, kind);
    if (!mask)
        return mask.error();
    const auto run = StreamRun::read(*model, {prompt->ids, *mask});
    if (!run)
        return run.error();
    const Provenance provenance = provenanceOf(**model, *prompt, *mask);
    return options.trace ? showTrace(*run, options, provenance)
                         : showScore(*run, options, provenance);
}

void checkWhyUsage(const WhyOptions& options) {
    checkTableUsage(options.table);
    if (options.cell.head.empty() == options.token.empty())
        refuseUsage("Give either --head, whose look is explained, or --token, whose logit is.");
    if (!options.token.empty() && !options.trace)
        refuseUsage("--token needs --trace; `headscope-cli attribute` shows the parts of a logit.");
    const int kinds = static_cast<int>(options.dimensions) + static_cast<int>(options.trace) +
                      static_cast<int>(options.signals > 0) +
                      static_cast<int>(!options.removed.empty());
    if (!options.graph.empty() && !options.trace)
        refuseUsage("--graphml writes what --trace finds; give both.");
    if (!options.trace && (options.follow_from > 0.0 || !options.followed.empty()))
        refuseUsage("--follow and --follow-from belong to --trace.");
    if (kinds > 1)
        refuseUsage("Choose one of --signals, --dimensions, --trace and --remove.");
}

} // namespace

Command whyCommand(CLI::App& parent) {
    const auto options = std::make_shared<WhyOptions>();
    CLI::App* app = parent.add_subcommand(
        "why", "Why a head looks there: one attention score as the sum of what the query and the "
               "key read, exactly, and traced back to where it came from");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    app->add_option("--head", options->cell.head, "4.1: the head");
    app->add_option("--query", options->cell.query,
                    "The position that looks, counted from the end where negative; by default the "
                    "last");
    app->add_option("--key", options->cell.key,
                    "The position it looks at; by default the one with the largest weight");
    app->add_option("--against", options->cell.against,
                    "What the score is compared with: others (the mean of the other keys, "
                    "weighted by attention), none, or the position of another key")
        ->capture_default_str();
    app->add_option("--ablate", options->ablated, "4.1,4.2: heads ablated meanwhile");
    app->add_option("--ablation", options->ablation, "What replaces their output: zero or mean")
        ->check(CLI::IsMember(ablationChoices()))
        ->capture_default_str();
    app->add_option("--signals", options->signals,
                    "Along the singular directions of the head's QK form instead; the first N "
                    "with words");
    CLI::Option* dimensions = app->add_flag("--dimensions", options->dimensions,
                                            "Along the dimensions of the head instead");
    app->add_flag("--all-keys", options->all_keys,
                  "With --dimensions, against every key that the query sees, each by itself, and "
                  "before and after rotary positions")
        ->needs(dimensions);
    app->add_flag("--trace", options->trace, "Walk back to the heads it came from, and on");
    app->add_option("--graphml", options->graph,
                    "With --trace, write the graph to this file, too, for Gephi, yEd or networkx");
    app->add_option("--remove", options->removed,
                    "key:3.5, query:mlp 2, key:embedding, key:direction 1: take this part, or what "
                    "is along this direction of --signals, out of what the head reads, there "
                    "alone, and measure beside what was predicted");
    app->add_option("--token", options->token,
                    "With --trace, begin at the logit of this token at --query");
    app->add_option("--against-token", options->against_token,
                    "And at the difference to the logit of this one");
    app->add_option("--least", options->least,
                    "Of a trace, the smallest share of the beginning that is shown and followed")
        ->check(CLI::Range(0.001, 1.0))
        ->capture_default_str();
    app->add_option("--nodes", options->nodes, "Of a trace, how many nodes at most")
        ->check(CLI::Range(2, 200))
        ->capture_default_str();
    app->add_option("--follow-from", options->follow_from,
                    "Of a trace, the share from which heads are followed; by default --least")
        ->check(CLI::Range(0.0, 2.0));
    app->add_option("--follow", options->followed,
                    "3.5:7,2.1:4: follow these heads, where they wrote, in any case")
        ->delimiter(',');
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkWhyUsage(*options); });
    return {app, [options] { return runWhy(*options); }};
}

} // namespace headscope::cli

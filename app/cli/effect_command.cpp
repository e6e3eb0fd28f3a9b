#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/export/provenance.h"
#include "core/heads/sequences.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/tables.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace headscope::cli {

namespace {

constexpr int kMostOthers = 10'000;

struct EffectOptions {
    ModelChoice model;
    std::string head;
    PromptListOptions prompts;
    std::string ablation = "mean";
    std::size_t others = 10;
    std::uint64_t seed = 0;
    TableOptions table;
};

Result<HeadEffectQuestion> questionOf(const Model& model, const EffectOptions& options) {
    const auto head = parseHead(options.head, model.spec);
    if (!head)
        return head.error();
    const auto prompts = readPrompts(model, options.prompts);
    if (!prompts)
        return prompts.error();
    HeadEffectQuestion question;
    question.head = *head;
    chooseEffectKind(question, options.ablation);
    question.others = options.others;
    question.sequences = promptSequences(*prompts);
    question.repeats.bos = bosMode(options.prompts.bos);
    question.repeats.seed = options.seed;
    return question;
}

/// For the screen: the head's types in the caption, and of the others first what costs most.
Table shownEffect(Table table, const HeadEffect& measured) {
    const LayerHead head = measured.effect.question.head;
    std::vector<std::string> names;
    for (const HeadTypeId id : labels(measured.scores, head, {}))
        names.emplace_back(headType(id).key);
    table.caption = "head " + headText(head) + " (" +
                    (names.empty() ? "no type" : join(names, " ")) +
                    "): " + ablationEffectText(measured.effect) + ".";
    std::reverse(table.rows.begin() + 1, table.rows.end());
    return table;
}

Result<void> runEffect(const EffectOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto question = questionOf(**model, options);
    if (!question)
        return question.error();
    const auto measured = [&] {
        const ProgressLine line;
        return headEffect(*model, *question, line.progress());
    }();
    if (!measured)
        return measured.error();
    Provenance provenance = provenanceOf(**model);
    provenance.ablation = options.ablation;
    const Table table = effectTable(measured->effect, provenance);
    const Table shown = shownEffect(table, *measured);
    return deliverTable(options.table, table, {&shown, 1});
}

} // namespace

Command effectCommand(CLI::App& parent) {
    const auto options = std::make_shared<EffectOptions>();
    CLI::App* app = parent.add_subcommand(
        "effect", "Measure the effect of ablating one head, beside that of other heads near it");
    addModelOption(*app, options->model);
    app->add_option("head", options->head, "The head, such as 4.1")->required();
    addPromptListOptions(
        *app, options->prompts,
        "Measure on this prompt; may be repeated. By default on what the head's first type is "
        "read from: repeated random tokens, sentences, or indirect-object prompts");
    app->add_option("--ablation,--kind", options->ablation,
                    "What replaces the output of a head: mean, zero, resample, or zero with all "
                    "patterns as they are in the whole model (pattern-preserving)")
        ->check(CLI::IsMember({"mean", "zero", "resample", "pattern-preserving"}))
        ->capture_default_str();
    app->add_option("--others", options->others, "How many other heads to compare with")
        ->check(CLI::Range(1, kMostOthers))
        ->capture_default_str();
    app->add_option("--seed", options->seed, "Seed of the random tokens and the choice of heads")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    addTableOptions(*app, options->table);
    app->parse_complete_callback([options] { checkTableUsage(options->table); });
    return {app, [options] { return runEffect(*options); }};
}

} // namespace headscope::cli

#include "app/cli/command.h"
#include "app/cli/model_option.h"
#include "app/cli/prompt_options.h"
#include "app/cli/table_options.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/export/provenance.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
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
    std::string kind = "mean";
    std::size_t others = 10;
    std::uint64_t seed = 0;
    TableOptions table;
};

/// The types of the heads, and what the head in question is ablated on.
struct Inputs {
    HeadScores scores;
    std::vector<InputSequence> sequences; ///< empty: the repeats of its first type
};

RepeatOptions repeatOptions(const EffectOptions& options) {
    RepeatOptions repeats;
    repeats.bos = bosMode(options.prompts.bos);
    repeats.seed = options.seed;
    return repeats;
}

Result<Inputs> readInputs(const std::shared_ptr<const Model>& model, const EffectOptions& options) {
    const auto prompts = readPrompts(*model, options.prompts);
    if (!prompts)
        return prompts.error();
    std::vector<InputSequence> sequences = promptSequences(*prompts);
    auto scores = sequences.empty() ? scoreHeads(model, repeatOptions(options))
                                    : scoreSequences(model, sequences, "the tested sequences");
    if (!scores)
        return scores.error();
    return Inputs{*std::move(scores), std::move(sequences)};
}

AblationEffectQuestion questionOf(const HeadScores& scores, LayerHead head,
                                  const EffectOptions& options) {
    AblationEffectQuestion question = effectQuestion(scores, head);
    question.kind = options.kind == "mean"       ? AblationKind::Mean
                    : options.kind == "resample" ? AblationKind::Resample
                                                 : AblationKind::Zero;
    question.preserve_patterns = options.kind == "pattern-preserving";
    question.others = options.others;
    question.seed = options.seed;
    return question;
}

/// For the screen: the head's types in the caption, and of the others first what costs most.
Table shownEffect(Table table, const AblationEffect& effect, const HeadScores& scores) {
    const LayerHead head = effect.question.head;
    std::vector<std::string> names;
    for (const HeadTypeId id : labels(scores, head, {}))
        names.emplace_back(headType(id).key);
    table.caption = "head " + headText(head) + " (" +
                    (names.empty() ? "no type" : join(names, " ")) +
                    "): " + ablationEffectText(effect) + ".";
    std::reverse(table.rows.begin() + 1, table.rows.end());
    return table;
}

Result<void> runEffect(const EffectOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto head = parseHead(options.head, (*model)->spec);
    if (!head)
        return head.error();
    const auto inputs = readInputs(*model, options);
    if (!inputs)
        return inputs.error();
    const std::vector questions{questionOf(inputs->scores, *head, options)};
    const auto effects = [&] {
        const ProgressLine line;
        return ablationEffects(*model, questions, inputs->sequences, repeatOptions(options),
                               line.progress());
    }();
    if (!effects)
        return effects.error();
    const AblationEffect& effect = effects->front();
    Provenance provenance = provenanceOf(**model);
    provenance.ablation = options.kind;
    const Table table = effectTable(effect, provenance);
    const Table shown = shownEffect(table, effect, inputs->scores);
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
    app->add_option("--kind", options->kind,
                    "What replaces the output of a head: mean, zero, resample, or zero with all "
                    "patterns as they are in the whole network (pattern-preserving)")
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

#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/export/provenance.h"
#include "core/heads/head_type.h"
#include "core/heads/sequences.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/set_effect.h"
#include "core/interventions/tables.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

namespace {

constexpr int kMostOthers = 10'000;

struct EffectOptions {
    ModelChoice model;
    std::string head; ///< or
    std::string type;
    PromptListOptions prompts;
    std::string ablation = "mean";
    std::size_t others = 10;
    std::uint64_t seed = 0;
    std::optional<double> least_effect;
    std::size_t most_sequences = 80;
    bool backups = false;
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
    question.by = replacedByNamed(options.ablation);
    question.others = options.others;
    question.sequences = promptSequences(*prompts);
    question.repeats.bos = bosMode(options.prompts.bos);
    question.repeats.seed = options.seed;
    question.least_effect = options.least_effect;
    question.most_sequences = options.most_sequences;
    question.backups = options.backups;
    return question;
}

Result<TypeEffectQuestion> typeQuestionOf(const Model& model, const EffectOptions& options) {
    const auto prompts = readPrompts(model, options.prompts);
    if (!prompts)
        return prompts.error();
    TypeEffectQuestion question;
    question.type = *headTypeByKey(options.type);
    question.by = replacedByNamed(options.ablation);
    question.sets = options.others;
    question.sequences = promptSequences(*prompts);
    question.repeats.bos = bosMode(options.prompts.bos);
    question.repeats.seed = options.seed;
    question.least_effect = options.least_effect;
    question.most_sequences = options.most_sequences;
    return question;
}

Result<Table> effectOfHead(const std::shared_ptr<const Model>& model, const EffectOptions& options,
                           const Provenance& provenance) {
    const auto question = questionOf(*model, options);
    if (!question)
        return question.error();
    const ProgressLine line;
    const auto measured = headEffect(model, *question, line.progress());
    if (!measured)
        return measured.error();
    return effectTable(measured->effects, provenance);
}

Result<Table> effectOfType(const std::shared_ptr<const Model>& model, const EffectOptions& options,
                           const Provenance& provenance) {
    const auto question = typeQuestionOf(*model, options);
    if (!question)
        return question.error();
    const ProgressLine line;
    const auto measured = typeEffect(model, *question, line.progress());
    if (!measured)
        return measured.error();
    return setEffectTable(*measured, question->type, provenance);
}

std::vector<std::string> typeKeys() {
    std::vector<std::string> keys;
    for (const HeadType& type : headTypes())
        keys.emplace_back(type.key);
    return keys;
}

/// Only for callbacks of CLI11.
void checkEffectUsage(const EffectOptions& options) {
    if (options.head.empty() == options.type.empty())
        refuseUsage("Name a head, such as 4.1, or with --type all heads of a type.");
    if (options.backups && !options.type.empty())
        refuseUsage("--backups is for a single head.");
}

Result<void> runEffect(const EffectOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    Provenance provenance = provenanceOf(**model);
    provenance.ablation = options.ablation;
    const auto table = options.type.empty() ? effectOfHead(*model, options, provenance)
                                            : effectOfType(*model, options, provenance);
    if (!table)
        return table.error();
    return deliverTable(options.table, *table, {&*table, 1});
}

} // namespace

Command effectCommand(CLI::App& parent) {
    const auto options = std::make_shared<EffectOptions>();
    CLI::App* app = parent.add_subcommand(
        "effect",
        "Say whether the model needs a head, or all heads of a type: what ablating them costs");
    addModelOption(*app, options->model);
    app->add_option("head", options->head, "The head, such as 4.1");
    app->add_option("--type", options->type,
                    "All heads of this type together, compared with random sets of as many heads "
                    "near them")
        ->check(CLI::IsMember(typeKeys()));
    addPromptListOptions(
        *app, options->prompts,
        "Measure on this prompt; may be repeated. By default on what each of the head's types is "
        "read from: repeated random tokens, sentences, or indirect-object prompts");
    app->add_option("--ablation", options->ablation,
                    "What replaces the output of a head: mean, zero, resample, or zero with all "
                    "patterns as they are in the whole model (pattern-preserving)")
        ->check(CLI::IsMember({"mean", "zero", "resample", "pattern-preserving"}))
        ->capture_default_str();
    app->add_option("--others", options->others,
                    "How many other heads, or random sets, to compare with")
        ->check(CLI::Range(1, kMostOthers))
        ->capture_default_str();
    app->add_option("--least-effect", options->least_effect,
                    "Nats below which an effect does not count; by default the larger of 0.01 and "
                    "1 % of what the whole model has")
        ->check(CLI::NonNegativeNumber);
    app->add_option("--most-sequences", options->most_sequences,
                    "Draw more sequences, up to this number, until the effect is clear")
        ->check(CLI::Range(2, kMostSequences))
        ->capture_default_str();
    app->add_flag("--backups", options->backups,
                  "Also name the heads that cost more when the head is ablated; two runs more for "
                  "each head of its layer and of later ones");
    app->add_option("--seed", options->seed, "Seed of the random tokens and the choice of heads")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    addTableOptions(*app, options->table);
    app->parse_complete_callback([options] {
        checkEffectUsage(*options);
        checkTableUsage(options->table);
    });
    return {app, [options] { return runEffect(*options); }};
}

} // namespace headscope::cli

#include "app/cli/sweep_options.h"

#include "app/cli/command.h"
#include "app/cli/metric_options.h"
#include "core/base/text.h"
#include "core/export/provenance.h"
#include "core/interventions/prompt_set.h"
#include "core/io/atomic_file.h"

#include <filesystem>
#include <utility>

namespace headscope::cli {

namespace {

/// Other prompts are given as the prompt is: as text or as ids.
Result<std::vector<TokenIds>> readReferences(const Model& model, const SweepOptions& options) {
    std::vector<TokenIds> references;
    for (const std::string& with : options.with) {
        PromptOptions other;
        (options.prompt.ids ? other.ids : other.text) = with;
        other.bos = options.prompt.bos;
        auto prompt = readPrompt(model, other);
        if (!prompt)
            return prompt.error();
        references.push_back(std::move(prompt->ids));
    }
    return references;
}

/// A mean over a part of the lines would be of another question than was asked.
Result<PromptSet> readWholeSet(const Model& model, const SweepOptions& options) {
    const std::filesystem::path path(*options.prompt.prompts);
    const auto text = readTextFile(path, kLargestPromptSetBytes);
    if (!text)
        return text.error();
    auto set = readPromptSet(model, *text, path.filename().string(), bosMode(options.prompt.bos));
    if (set && !set->left_out.empty())
        return Error{ErrorCode::InvalidArgument,
                     "Line " + std::to_string(set->left_out.front().line) + " of " + path.string() +
                         " is no prompt of " + model.name + ": " + set->left_out.front().reason};
    return set;
}

struct AskedPrompts {
    std::vector<TokenIds> ids;
    Provenance provenance;
};

Result<AskedPrompts> readAsked(const Model& model, const SweepOptions& options) {
    if (options.prompt.prompts) {
        const auto set = readWholeSet(model, options);
        if (!set)
            return set.error();
        AskedPrompts asked{{}, provenanceOf(model)};
        for (const Prompt& prompt : set->prompts)
            asked.ids.push_back(prompt.ids);
        asked.provenance.note = counted(set->prompts.size(), "prompt") + " of " + set->name;
        return asked;
    }
    const auto prompt = readPrompt(model, options.prompt);
    if (!prompt)
        return prompt.error();
    return AskedPrompts{{prompt->ids}, provenanceOf(model, *prompt, {})};
}

} // namespace

void addSweepOptions(CLI::App& app, SweepOptions& options) {
    addPromptsOptions(app, options.prompt);
    app.add_option("--method", options.method,
                   "exact: one run for each ablated set of heads; gradient: a first-order "
                   "estimate of all of them by one backward pass, for --ablation zero")
        ->check(CLI::IsMember({"exact", "gradient"}))
        ->capture_default_str();
    app.add_option("--ablation,--kind", options.ablation,
                   "What replaces the output of the heads: zero, mean, resample, or zero with all "
                   "patterns as they are in the whole model (pattern-preserving)")
        ->check(CLI::IsMember({"zero", "mean", "resample", "pattern-preserving"}))
        ->capture_default_str();
    app.add_option("--with", options.with,
                   "For resample: the other prompt, of the same length. For mean: a prompt to "
                   "average over instead of the prompt itself; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--heads", options.heads,
                   "The heads to ablate one at a time (4.1,4.2), all, or kv-groups")
        ->capture_default_str();
    addMetricOptions(app, options.metric);
}

void checkSweepUsage(const SweepOptions& options) {
    checkMetricUsage(options.metric);
    const bool reads_others = options.ablation == "resample" || options.ablation == "mean";
    if (!options.with.empty() && !reads_others)
        refuseUsage("--with belongs to --ablation resample and mean.");
    if (options.method == "gradient" && options.ablation != "zero")
        refuseUsage("--method gradient estimates --ablation zero only.");
    if (options.method == "gradient" && options.metric.kind == "kl")
        refuseUsage("--method gradient cannot estimate --metric kl, whose slope is 0.");
    if (options.ablation == "resample" && options.with.size() != 1)
        refuseUsage("--ablation resample needs one other prompt: --with TEXT.");
    if (options.ablation == "resample" && options.prompt.prompts)
        refuseUsage("--ablation resample takes one prompt; leave --prompts out.");
    if (options.prompt.prompts && options.metric.kind == "loss" && options.metric.target &&
        !options.metric.position)
        refuseUsage("The loss of one --target needs the --position where it shall be predicted, "
                    "which differs from prompt to prompt; name it.");
}

Result<AskedSweep> readSweep(const Model& model, const SweepOptions& options) {
    auto asked = readAsked(model, options);
    if (!asked)
        return asked.error();
    auto units = parseHeadSets(options.heads, model.spec);
    if (!units)
        return units.error();
    auto references = readReferences(model, options);
    if (!references)
        return references.error();
    const bool as_ids = options.prompt.ids.has_value() || !model.tokenizer;
    auto metric = readMetric(model, options.metric, asked->ids.front(), as_ids);
    if (!metric)
        return metric.error();
    SweepQuestion question;
    question.prompts = std::move(asked->ids);
    question.units = *std::move(units);
    question.references = *std::move(references);
    chooseSweepKind(question, options.ablation);
    question.metric = *std::move(metric);
    question.method = options.method == "gradient" ? EffectMethod::Gradient : EffectMethod::Exact;
    asked->provenance.ablation = sweepText(question);
    return AskedSweep{std::move(question), std::move(asked->provenance)};
}

} // namespace headscope::cli

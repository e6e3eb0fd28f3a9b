#include "app/cli/command.h"
#include "app/cli/metric_options.h"
#include "app/cli/model_option.h"
#include "app/cli/prompt_options.h"
#include "app/cli/table_options.h"
#include "app/cli/terminal.h"
#include "core/export/provenance.h"
#include "core/interventions/tables.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace headscope::cli {

namespace {

struct SweepOptions {
    ModelChoice model;
    PromptOptions prompt;
    MetricWords metric;
    std::string method = "exact";
    std::string kind = "zero";
    std::string heads = "all";
    std::vector<std::string> with;
    TableOptions table;
};

void checkSweepUsage(const SweepOptions& options) {
    checkMetricUsage(options.metric);
    checkTableUsage(options.table);
    const bool reads_others = options.kind == "resample" || options.kind == "mean";
    if (!options.with.empty() && !reads_others)
        refuseUsage("--with belongs to --kind resample and mean.");
    if (options.method == "gradient" && options.kind != "zero")
        refuseUsage("--method gradient estimates --kind zero only.");
    if (options.method == "gradient" && options.metric.kind == "kl")
        refuseUsage("--method gradient cannot estimate --metric kl, whose slope is 0.");
    if (options.kind == "resample" && options.with.size() != 1)
        refuseUsage("--kind resample needs one other prompt: --with TEXT.");
}

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

AblationKind ablationKind(const SweepOptions& options) {
    if (options.kind == "mean")
        return options.with.empty() ? AblationKind::Mean : AblationKind::TextMean;
    return options.kind == "resample" ? AblationKind::Resample : AblationKind::Zero;
}

Result<SweepQuestion> readSweepQuestion(const Model& model, const SweepOptions& options,
                                        const Prompt& prompt) {
    auto units = parseHeadSets(options.heads, model.spec);
    if (!units)
        return units.error();
    auto references = readReferences(model, options);
    if (!references)
        return references.error();
    auto metric = readMetric(model, options.metric, prompt.ids, options.prompt.ids.has_value());
    if (!metric)
        return metric.error();
    SweepQuestion question;
    question.prompts = {prompt.ids};
    question.units = *std::move(units);
    question.kind = ablationKind(options);
    question.preserve_patterns = options.kind == "pattern-preserving";
    question.references = *std::move(references);
    question.metric = *std::move(metric);
    question.method = options.method == "gradient" ? EffectMethod::Gradient : EffectMethod::Exact;
    return question;
}

Result<void> runSweep(const SweepOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto prompt = readPrompt(**model, options.prompt);
    if (!prompt)
        return prompt.error();
    const auto question = readSweepQuestion(**model, options, *prompt);
    if (!question)
        return question.error();
    const auto result = [&] {
        const ProgressLine line;
        return sweepHeads(*model, *question, line.progress());
    }();
    if (!result)
        return result.error();
    Provenance provenance = provenanceOf(**model, *prompt, {});
    provenance.ablation = sweepText(result->question);
    return deliverTable(options.table, sweepTable(*result, provenance));
}

} // namespace

Command sweepCommand(CLI::App& parent) {
    const auto options = std::make_shared<SweepOptions>();
    CLI::App* app =
        parent.add_subcommand("sweep", "Ablate each head by itself and measure the effect");
    addModelOption(*app, options->model);
    addPromptOptions(*app, options->prompt);
    app->add_option("--method", options->method,
                    "exact: one run for each ablated set of heads; gradient: a first-order "
                    "estimate of all of them by one backward pass, for --kind zero")
        ->check(CLI::IsMember({"exact", "gradient"}))
        ->capture_default_str();
    app->add_option("--kind", options->kind,
                    "What replaces the output of the heads: zero, mean, resample, or zero with all "
                    "patterns as they are in the whole network (pattern-preserving)")
        ->check(CLI::IsMember({"zero", "mean", "resample", "pattern-preserving"}))
        ->capture_default_str();
    app->add_option("--with", options->with,
                    "For resample: the other prompt, of the same length. For mean: a prompt to "
                    "average over instead of the prompt itself; may be repeated")
        ->allow_extra_args(false);
    app->add_option("--heads", options->heads,
                    "The heads to ablate one at a time (4.1,4.2), all, or kv-groups")
        ->capture_default_str();
    addMetricOptions(*app, options->metric);
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkSweepUsage(*options); });
    return {app, [options] { return runSweep(*options); }};
}

} // namespace headscope::cli

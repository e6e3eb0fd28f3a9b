#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/export/provenance.h"
#include "core/interventions/tables.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace headscope::cli {

namespace {

struct PatchOptions {
    ModelChoice model;
    PromptPairOptions prompts;
    std::string hook;
    std::vector<std::string> by;
    std::string method = "exact";
    std::vector<std::string> path; ///< senders and receivers
    MetricWords metric;
    TableOptions table;
};

void checkPatchUsage(const PatchOptions& options) {
    checkMetricUsage(options.metric);
    checkTableUsage(options.table);
    if (options.hook.empty() == options.path.empty())
        refuseUsage("Exactly one of --hook and --path must be given.");
    if (options.hook.empty() && !options.by.empty())
        refuseUsage("--by belongs to --hook.");
    if (options.method == "gradient" && options.hook.empty())
        refuseUsage("--method gradient belongs to --hook.");
    if (options.method == "gradient" && options.metric.kind == "kl")
        refuseUsage("--method gradient cannot estimate --metric kl, whose slope is 0.");
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
    return std::ranges::find(list, item) != list.end();
}

Result<PatchResult> patchHook(const std::shared_ptr<const Model>& model,
                              const PatchOptions& options, const PromptPair& prompts,
                              const Metric& metric) {
    const auto hook = parseHookKind(options.hook, model->spec);
    if (!hook)
        return hook.error();
    PatchQuestion question;
    question.clean = prompts.clean.ids;
    question.corrupted = prompts.corrupted.ids;
    question.hook = *hook;
    question.by_position = contains(options.by, "position");
    question.by_head = contains(options.by, "head");
    question.metric = metric;
    question.method = options.method == "gradient" ? EffectMethod::Gradient : EffectMethod::Exact;
    const ProgressLine line;
    return patchActivations(model, question, line.progress());
}

Result<PathResult> patchPath(const std::shared_ptr<const Model>& model, const PatchOptions& options,
                             const PromptPair& prompts, const Metric& metric) {
    PathQuestion question;
    question.original = prompts.clean.ids;
    question.other = prompts.corrupted.ids;
    question.metric = metric;
    auto senders = parseSenders(options.path[0], model->spec);
    if (!senders)
        return senders.error();
    question.senders = *std::move(senders);
    auto receivers = parseReceivers(options.path[1], model->spec);
    if (!receivers)
        return receivers.error();
    question.receivers = *std::move(receivers);
    const ProgressLine line;
    return patchPaths(model, question, line.progress());
}

Result<void> runPatch(const PatchOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto prompts = readPromptPair(**model, options.prompts);
    if (!prompts)
        return prompts.error();
    const Prompt& clean = prompts->clean;
    const auto metric = readMetric(**model, options.metric, clean.ids, options.prompts.as_ids);
    if (!metric)
        return metric.error();
    const Provenance provenance = provenanceOf(**model, clean, {});
    if (options.hook.empty()) {
        const auto result = patchPath(*model, options, *prompts, *metric);
        if (!result)
            return result.error();
        return deliverTable(options.table, pathTable(*result, provenance));
    }
    const auto result = patchHook(*model, options, *prompts, *metric);
    if (!result)
        return result.error();
    const Table grid = patchGrid(*result, (*model)->spec, provenance);
    return deliverTable(options.table, patchTable(*result, (*model)->spec, provenance), {&grid, 1});
}

} // namespace

Command patchCommand(CLI::App& parent) {
    const auto options = std::make_shared<PatchOptions>();
    CLI::App* app = parent.add_subcommand(
        "patch", "Replace activations of one prompt by those of another and measure the effect");
    addModelOption(*app, options->model);
    addPromptPairOptions(*app, options->prompts);
    app->add_option("--hook", options->hook,
                    "Activation patching: run the corrupted prompt with this activation of the "
                    "clean one, layer by layer: resid_pre, q, pattern, z, attn_out, mlp_out, …");
    app->add_option("--by", options->by,
                    "What to patch one at a time: position, head, or position,head")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"position", "head"}));
    app->add_option("--method", options->method,
                    "With --hook: exact, a run for each patch; or gradient, all of them estimated "
                    "to first order by one backward pass (attribution patching)")
        ->check(CLI::IsMember({"exact", "gradient"}))
        ->capture_default_str();
    app->add_option("--path", options->path,
                    "Path patching: run the clean prompt with what flows directly from heads of "
                    "the corrupted one (0.1,0.2, or all) to receivers (5.3:q,6.0:k, or logits)")
        ->expected(2);
    addMetricOptions(*app, options->metric);
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkPatchUsage(*options); });
    return {app, [options] { return runPatch(*options); }};
}

} // namespace headscope::cli

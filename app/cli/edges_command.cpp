#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/export/provenance.h"
#include "core/interventions/edge_patching.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headscope::cli {

namespace {

struct EdgesOptions {
    ModelChoice model;
    PromptPairOptions prompts;
    EdgeEstimate estimate = EdgeEstimate::Slope;
    std::size_t steps = EdgeQuestion().steps;
    std::size_t top = 20;
    bool exact = false;
    bool circuits = false;
    std::vector<std::size_t> sizes;
    MetricWords metric;
    TableOptions table;
};

void checkEdgesUsage(const EdgesOptions& options) {
    checkMetricUsage(options.metric);
    checkTableUsage(options.table);
    if (options.metric.kind == "kl")
        refuseUsage("edges cannot estimate --metric kl, whose slope is 0.");
    if (options.circuits && options.exact)
        refuseUsage("--circuits measures many edges and --exact single ones; give one of the two.");
}

Result<void> deliverBest(const EdgesOptions& options, const std::shared_ptr<const Model>& model,
                         const EdgeResult& result, const Provenance& provenance) {
    const std::vector<Edge> best = result.best(options.top);
    std::vector<double> exact;
    if (options.exact) {
        const ProgressLine line;
        auto measured = patchEdges(model, result, best, line.progress());
        if (!measured)
            return measured.error();
        exact = *std::move(measured);
    }
    return deliverTable(options.table, edgeTable(result, best, exact, provenance));
}

Result<void> deliverCircuits(const EdgesOptions& options, const std::shared_ptr<const Model>& model,
                             const EdgeResult& result, const Provenance& provenance) {
    const auto circuits = [&] {
        const ProgressLine line;
        return measureEdgeCircuits(model, result,
                                   options.sizes.empty() ? circuitSizes(result) : options.sizes,
                                   line.progress());
    }();
    if (!circuits)
        return circuits.error();
    return deliverTable(options.table, edgeCircuitTable(result, *circuits, provenance));
}

Result<void> runEdges(const EdgesOptions& options) {
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
    const EdgeQuestion question{clean.ids, prompts->corrupted.ids, *metric, options.estimate,
                                options.steps};
    const auto result = [&] {
        const ProgressLine line;
        return attributeEdges(*model, question, line.progress());
    }();
    if (!result)
        return result.error();
    const Provenance provenance = provenanceOf(**model, clean, {});
    return options.circuits ? deliverCircuits(options, *model, *result, provenance)
                            : deliverBest(options, *model, *result, provenance);
}

} // namespace

Command edgesCommand(CLI::App& parent) {
    const auto options = std::make_shared<EdgesOptions>();
    CLI::App* app = parent.add_subcommand(
        "edges", "Estimate what flows along every edge between heads, MLPs and logits");
    addModelOption(*app, options->model);
    addPromptPairOptions(*app, options->prompts);
    std::map<std::string, EdgeEstimate> estimates;
    for (const EdgeEstimate estimate : edgeEstimates())
        estimates.emplace(edgeEstimateName(estimate), estimate);
    app->add_option("--estimate", options->estimate,
                    "slope (one reverse pass), integrated (its mean on the way to the corrupted "
                    "prompt) or recomputed (receivers run again, which takes longest)")
        ->transform(CLI::CheckedTransformer(estimates))
        ->default_str(std::string(edgeEstimateName(options->estimate)));
    app->add_option("--steps", options->steps, "Steps of --estimate integrated")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app->add_option("--top", options->top, "How many edges to show, those of largest score")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app->add_flag("--exact", options->exact, "Measure these edges, too, by a run for each");
    CLI::Option* circuits = app->add_flag(
        "--circuits", options->circuits,
        "Measure the networks in which the best edges alone carry the clean prompt, and those in "
        "which they alone carry the corrupted one");
    app->add_option("--sizes", options->sizes,
                    "So many edges each; by default 0, 1, 2, 5, 10 … and all")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->needs(circuits);
    addMetricOptions(*app, options->metric);
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkEdgesUsage(*options); });
    return {app, [options] { return runEdges(*options); }};
}

} // namespace headscope::cli

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

struct EdgesOptions {
    ModelChoice model;
    PromptPairOptions prompts;
    std::size_t top = 20;
    bool exact = false;
    MetricOptions metric;
    TableOptions table;
};

void checkEdgesUsage(const EdgesOptions& options) {
    checkMetricUsage(options.metric);
    checkTableUsage(options.table);
    if (options.metric.kind == "kl")
        refuseUsage("edges cannot estimate --metric kl, whose slope is 0.");
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
    const auto result = attributeEdges(*model, {clean.ids, prompts->corrupted.ids, *metric});
    if (!result)
        return result.error();
    const std::vector<Edge> best = result->best(options.top);
    std::vector<double> exact;
    if (options.exact) {
        const ProgressLine line;
        auto measured = patchEdges(*model, *result, best, line.progress());
        if (!measured)
            return measured.error();
        exact = *std::move(measured);
    }
    return deliverTable(options.table,
                        edgeTable(*result, best, exact, provenanceOf(**model, clean, {})));
}

} // namespace

Command edgesCommand(CLI::App& parent) {
    const auto options = std::make_shared<EdgesOptions>();
    CLI::App* app = parent.add_subcommand(
        "edges", "Estimate what flows along every edge between heads, MLPs and logits");
    addModelOption(*app, options->model);
    addPromptPairOptions(*app, options->prompts);
    app->add_option("--top", options->top, "How many edges to show, those of largest score")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app->add_flag("--exact", options->exact, "Measure these edges, too, by a run for each");
    addMetricOptions(*app, options->metric);
    addTableOptions(*app, options->table);
    app->final_callback([options] { checkEdgesUsage(*options); });
    return {app, [options] { return runEdges(*options); }};
}

} // namespace headscope::cli

#include "app/cli/command.h"
#include "app/cli/load_report_text.h"
#include "app/cli/model_option.h"
#include "app/cli/terminal.h"
#include "app/cli/text_table.h"
#include "core/base/text.h"
#include "core/engine/run_memory.h"
#include "core/export/model_info.h"
#include "core/export/table_files.h"
#include "core/model/model_card.h"
#include "core/model/prompt.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace headscope::cli {

namespace {

struct InfoOptions {
    ModelChoice model;
    bool json = false;
};

/// What only a model that can be run has: how long its prompts are, and what they cost.
std::vector<Row> contextRows(const ModelSpec& spec, const ModelCard& card,
                             const std::string& weights, const std::string& per_token) {
    if (!spec.cannot_run.empty())
        return {{"memory", weights}, {"KV cache", per_token}};
    return {{"context", std::to_string(spec.n_ctx) + " tokens"},
            {"memory", weights + "; a run over a full context " +
                           byteText(runMemory(spec, spec.n_ctx).total())},
            {"KV cache",
             per_token + ", " + byteText(card.kv_bytes_full_context) + " for a full context"}};
}

void printSummary(const Model& model, const ModelCard& card) {
    const LoadReport& report = model.report;
    std::vector<Row> rows{
        {"model", model.name},
        {"architecture", card.architecture},
        {"attention", card.attention_kind},
        {"parameters", std::to_string(card.total_parameters) + ", per layer " +
                           std::to_string(card.layer_parameters) + ", of these attention " +
                           std::to_string(card.attention_parameters)},
        {"BOS", bosRule(model).reason},
        {"config", report.config_source},
        {"tokenizer",
         report.tokenizer_source.empty() ? "none: prompts are token ids" : report.tokenizer_source},
        {"file", model.path.string()},
        {"sha256", model.sha256},
    };
    const auto context =
        contextRows(model.spec, card, byteText(report.weight_bytes) + " of weights",
                    byteText(card.kv_bytes_per_token) + " per token");
    rows.insert(rows.begin() + 4, context.begin(), context.end());
    if (!model.description.empty())
        rows.insert(rows.begin() + 1, {"description", model.description});
    if (!model.spec.cannot_run.empty())
        rows.insert(rows.begin() + 1, {"cannot be run", model.spec.cannot_run});
    printRows(std::cout, rows);
}

void printMatrices(const ModelCard& card) {
    std::vector<Row> rows{{"matrix", "shape", "parameters", "count"}};
    for (const ModelCard::Matrix& matrix : card.matrices)
        rows.push_back({matrix.name, shapeText(matrix.shape), std::to_string(matrix.parameters),
                        std::to_string(matrix.count)});
    std::cout << '\n';
    printRows(std::cout, rows);
}

Result<void> runInfo(const InfoOptions& options) {
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    if (options.json) {
        printData(recordJson(modelInfo(**model)));
        return {};
    }
    const ModelCard card = modelCard(**model);
    printSummary(**model, card);
    printMatrices(card);
    std::cout << '\n';
    printLoadReport(std::cout, (*model)->report);
    return {};
}

} // namespace

Command infoCommand(CLI::App& parent) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App* app = parent.add_subcommand("info", "Show what a weight file holds");
    addModelOption(*app, options->model);
    app->add_flag("--json", options->json, "Print JSON");
    return {app, [options] { return runInfo(*options); }};
}

} // namespace headscope::cli

#include "app/cli/command.h"
#include "app/cli/load_report_text.h"
#include "app/cli/model_option.h"
#include "app/cli/terminal.h"
#include "app/cli/text_table.h"
#include "core/base/text.h"
#include "core/engine/run_memory.h"
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

Record expertsRecord(const ExpertsSpec& experts) {
    return {{"d_mlp", experts.d_mlp},
            {"d_shared", experts.d_shared},
            {"dense_layers", listOf(experts.dense_layers)},
            {"n_chosen", experts.n_chosen},
            {"n_experts", experts.n_experts},
            {"weights_sum_to_one", experts.weights_sum_to_one}};
}

Record specRecord(const ModelSpec& spec) {
    Record record{
        {"cannot_run", unlessEmpty(spec.cannot_run)},
        {"causal", spec.causal},
        {"d_head", spec.d_head},
        {"d_mlp", spec.d_mlp},
        {"d_model", spec.d_model},
        {"d_vocab", spec.d_vocab},
        {"d_vocab_out", spec.output == OutputHead::None ? Value() : Value(spec.outputs())},
        {"family", spec.family},
        {"n_ctx", spec.n_ctx == 0 ? Value() : Value(spec.n_ctx)},
        {"n_heads", spec.n_heads},
        {"n_kv_heads", spec.n_kv_heads},
        {"n_layers", spec.n_layers}};
    if (spec.experts)
        record.insert(std::ranges::find(record, "family", &Member::name),
                      {"experts", expertsRecord(*spec.experts)});
    return record;
}

/// A value that only a model that can be run has.
Value ofFullContext(const Model& model, std::size_t bytes) {
    return model.spec.cannot_run.empty() ? Value(bytes) : Value();
}

Record cardRecord(const Model& model) {
    const ModelCard card = modelCard(model);
    List matrices;
    for (const ModelCard::Matrix& matrix : card.matrices)
        matrices.push_back(Record{{"count", matrix.count},
                                  {"name", matrix.name},
                                  {"parameters", matrix.parameters},
                                  {"shape", listOf(matrix.shape)}});
    return {{"architecture", card.architecture},
            {"attention_kind", card.attention_kind},
            {"attention_parameters_per_layer", card.attention_parameters},
            {"kv_bytes_full_context", ofFullContext(model, card.kv_bytes_full_context)},
            {"kv_bytes_per_token", card.kv_bytes_per_token},
            {"matrices", std::move(matrices)},
            {"mha_kv_bytes_per_token", card.mha_kv_bytes_per_token},
            {"parameters", card.total_parameters},
            {"run_bytes_full_context",
             ofFullContext(model, runMemory(model.spec, model.spec.n_ctx).total())},
            {"parameters_per_layer", card.layer_parameters}};
}

Record reportRecord(const LoadReport& report) {
    List used;
    for (const LoadReport::Used& tensor : report.used)
        used.push_back(Record{{"role", tensor.role},
                              {"shape", listOf(tensor.shape)},
                              {"tensor", tensor.tensor},
                              {"transform", tensor.transform},
                              {"type", tensor.type}});
    List ignored;
    for (const LoadReport::Ignored& tensor : report.ignored)
        ignored.push_back(Record{{"reason", tensor.reason}, {"tensor", tensor.tensor}});
    return {{"config_source", report.config_source},
            {"ignored", std::move(ignored)},
            {"notes", listOf(report.notes)},
            {"square_matrices", report.square_matrices},
            {"tokenizer_source", report.tokenizer_source},
            {"unused_config_keys", listOf(report.unused_config_keys)},
            {"used", std::move(used)},
            {"weight_bytes", report.weight_bytes}};
}

Record modelRecord(const Model& model) {
    const BosRule bos = bosRule(model);
    return {{"bos", Record{{"added", bos.add}, {"reason", bos.reason}}},
            {"card", cardRecord(model)},
            {"description", model.description},
            {"load_report", reportRecord(model.report)},
            {"name", model.name},
            {"path", model.path.string()},
            {"sha256", model.sha256},
            {"spec", specRecord(model.spec)}};
}

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
        printData(recordJson(modelRecord(**model)));
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

#include "core/export/model_info.h"

#include "core/base/text.h"
#include "core/engine/run_memory.h"
#include "core/export/provenance.h"
#include "core/model/layer_counts.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace headscope {

namespace {

std::string scoresText(RouterScores scores) {
    switch (scores) {
    case RouterScores::Softmax:
        break;
    case RouterScores::Sigmoid:
        return "sigmoid";
    case RouterScores::SparseMixer:
        return "sparsemixer";
    }
    return "softmax";
}

Value choiceBiasOf(const ExpertsSpec& experts) {
    if (experts.choice_bias == ChoiceBias::None)
        return {};
    return experts.choice_bias == ChoiceBias::Scores ? "scores" : "logits";
}

Record expertsRecord(const ExpertsSpec& experts) {
    return {{"choice_bias", choiceBiasOf(experts)},
            {"d_mlp", experts.d_mlp},
            {"d_shared", experts.d_shared},
            {"dense_layers", listOf(experts.dense_layers)},
            {"limit", experts.limit == 0.0 ? Value() : Value(experts.limit)},
            {"n_chosen", experts.n_chosen},
            {"n_experts", experts.n_experts},
            {"n_groups", experts.n_groups},
            {"n_groups_chosen", experts.n_groups_chosen},
            {"scores", scoresText(experts.scores)},
            {"shared_gate", experts.gatesShared()},
            {"weight_scale", experts.weight_scale},
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
        {"learned_sinks", spec.learned_sinks},
        {"n_ctx", spec.n_ctx == 0 ? Value() : Value(spec.n_ctx)},
        {"n_heads", spec.n_heads},
        {"n_kv_heads", spec.n_kv_heads},
        {"n_layers", spec.n_layers}};
    if (spec.experts)
        record.insert(std::ranges::find(record, "family", &Member::name),
                      {"experts", expertsRecord(*spec.experts)});
    if (spec.latent)
        record.insert(std::ranges::find(record, "learned_sinks", &Member::name),
                      {"latent", Record{{"d_kv", spec.latent->d_kv},
                                        {"d_queries", spec.latent->d_queries},
                                        {"d_shared", spec.latent->d_shared}}});
    return record;
}

/// A value that only a model that can be run has.
Value ofFullContext(const Model& model, std::size_t bytes) {
    return model.spec.cannot_run.empty() ? Value(bytes) : Value();
}

/// What every layer has; nothing where layers differ.
Value perLayer(const std::vector<LayerCount>& layers, std::size_t LayerCount::*count) {
    const auto [least, most] = rangeOf(layers, count);
    return least == most ? Value(least) : Value();
}

List layerList(const ModelSpec& spec, const std::vector<LayerCount>& layers) {
    List list;
    for (const LayerCount& layer : layers)
        list.push_back(Record{{"attention_parameters", layer.attention},
                              {"layer", layer.layer},
                              {"n_heads", spec.headsIn(layer.layer)},
                              {"n_kv_heads", spec.kvHeadsIn(layer.layer)},
                              {"parameters", layer.parameters}});
    return list;
}

Record cardRecord(const Model& model) {
    const ModelCard card = modelCard(model);
    const std::vector<LayerCount> layers = layerCounts(model);
    List matrices;
    for (const ModelCard::Matrix& matrix : card.matrices)
        matrices.push_back(Record{{"count", matrix.count},
                                  {"name", matrix.name},
                                  {"parameters", matrix.parameters},
                                  {"shape", listOf(matrix.shape)}});
    return {{"architecture", card.architecture},
            {"attention_kind", card.attention_kind},
            {"attention_parameters_per_layer", perLayer(layers, &LayerCount::attention)},
            {"kv_bytes_full_context", ofFullContext(model, card.kv_bytes_full_context)},
            {"kv_bytes_per_token", card.kv_bytes_per_token},
            {"layers", layerList(model.spec, layers)},
            {"matrices", std::move(matrices)},
            {"mha_kv_bytes_per_token", card.mha_kv_bytes_per_token},
            {"parameters", card.total_parameters},
            {"run_bytes_full_context",
             ofFullContext(model, runMemory(model.spec, model.spec.n_ctx).total())},
            {"parameters_per_layer", perLayer(layers, &LayerCount::parameters)}};
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
    List missing;
    for (const LoadReport::Missing& tensor : report.missing)
        missing.push_back(Record{{"expected", tensor.expected}, {"tensor", tensor.tensor}});
    return {{"config_source", report.config_source},
            {"ignored", std::move(ignored)},
            {"missing", std::move(missing)},
            {"notes", listOf(report.notes)},
            {"square_matrices", report.square_matrices},
            {"tokenizer_source", report.tokenizer_source},
            {"unused_config_keys", listOf(report.unused_config_keys)},
            {"used", std::move(used)},
            {"weight_bytes", report.weight_bytes}};
}

} // namespace

Table modelTable(const Model& model) {
    Table table;
    table.columns = {{.key = "role", .meaning = "What it was read as; empty where it was not"},
                     {.key = "tensor", .meaning = "Name in the file"},
                     {.key = "shape", .meaning = "In the file"},
                     {.key = "type", .meaning = "In the file"},
                     {.key = "transform", .meaning = "How it was read"},
                     {.key = "ignored", .meaning = "Why it was not read; empty where it was"}};
    const LoadReport& report = model.report;
    for (const LoadReport::Used& used : report.used)
        table.rows.push_back(
            {used.role, used.tensor, listOf(used.shape), used.type, used.transform, {}});
    for (const LoadReport::Ignored& ignored : report.ignored)
        table.rows.push_back({{}, ignored.tensor, {}, {}, {}, ignored.reason});
    const BosRule bos = bosRule(model);
    table.fields = {{"bos", Record{{"added", bos.add}, {"reason", bos.reason}}, Files::Json},
                    {"card", cardRecord(model), Files::Json},
                    {"description", model.description, Files::Json},
                    {"load_report", reportRecord(report), Files::Json},
                    {"name", model.name, Files::Json},
                    {"path", model.path.string(), Files::Json},
                    {"sha256", model.sha256, Files::Json},
                    {"spec", specRecord(model.spec), Files::Json}};
    table.provenance = provenanceOf(model);
    return table;
}

} // namespace headscope

#include "core/export/headvis.h"

#include "core/export/table_files.h"
#include "core/heads/head_type.h"
#include "core/heads/score_table.h"
#include "core/io/atomic_file.h"
#include "core/model/prompt.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kMostTokens = 50;     ///< of the tables of tokens
constexpr std::size_t kActivationBins = 20; ///< from 0 to 1

/// Four decimals, as HeadVis asks for; null for NaN.
Json rounded(double value) {
    return std::isfinite(value) ? Json(std::round(value * 1e4) / 1e4) : Json(nullptr);
}

struct MeanMetric {
    const char* name;
    const char* description;
    double AttentionMeans::*value;
};
constexpr std::array<MeanMetric, 5> kMeanMetrics{{
    {"self_attention_score", "Mean attention of a token on itself", &AttentionMeans::self},
    {"previous_token_score", "Mean attention on the token before", &AttentionMeans::previous},
    {"pattern_entropy", "Mean entropy of a row of attention, nats", &AttentionMeans::entropy},
    {"qk_distance", "Mean |query − key| by attention, tokens", &AttentionMeans::distance},
    {"qk_distance_variance", "Variance of |query − key| by attention, tokens²",
     &AttentionMeans::distance_variance},
}};

std::string descriptionOf(const HeadScores& scores, const HeadType& type) {
    const MeasuredOn& measured_on = scores.measuredOn(type.id);
    std::string text(type.name);
    text.append(": ").append(type.formula);
    text.append(". Measured on ").append(measured_on.input);
    text.append(", ").append(measured_on.bos).append(".");
    return text;
}

Json configOf(const HeadvisContent& content) {
    Json config{{"model_name", content.model.name},
                {"heads", Json::array()},
                {"n_layers", content.scores.heads.layers()},
                {"n_heads", content.model.spec.n_heads},
                {"n_intervals", kExampleIntervals},
                {"metrics", Json::array()},
                {"metric_descriptions", Json::object()},
                {"head_data_pattern", "L{layer}H{head}.json"},
                {"has_umap", false},
                {"umap_heads", Json::array()}};
    for (const LayerHead head : content.scores.heads)
        config["heads"].push_back({head.layer, head.head});
    for (const HeadTypeId id : content.scores.types) {
        const std::string key(headType(id).key);
        config["metrics"].push_back(key);
        config["metric_descriptions"][key] = descriptionOf(content.scores, headType(id));
    }
    for (const MeanMetric& metric : kMeanMetrics) {
        config["metrics"].push_back(metric.name);
        config["metric_descriptions"][metric.name] = metric.description;
    }
    const auto entry = [](const char* key, const char* label) {
        return Json{{"key", key}, {"label", label}};
    };
    config["custom_plots"] = {entry("qk_distance_histogram", "Q-K distance"),
                              entry("histogram", "Largest weight of a sequence")};
    config["custom_tables"] = {entry("types", "Types, with score"),
                               entry("top_query_tokens", "Top query tokens"),
                               entry("top_key_tokens", "Top key tokens")};
    config["statistics_display"] = {
        {"mean_max_activation", {{"label", "Mean largest weight"}, {"format", "default"}}},
        {"n_sequences", {{"label", "Sequences"}, {"format", "default"}}}};
    return config;
}

Json scatterRow(const HeadvisContent& content, LayerHead head, const HeadExamples& examples) {
    Json row{{"layer", head.layer}, {"head", head.head}};
    for (const HeadTypeId id : content.scores.types)
        row[std::string(headType(id).key)] = rounded(content.scores.at(id, head).score);
    for (const MeanMetric& metric : kMeanMetrics)
        row[metric.name] = rounded(examples.means.*metric.value);
    return row;
}

std::vector<std::string> piecesOf(const Model& model, const TokenIds& ids) {
    std::vector<std::string> pieces;
    pieces.reserve(ids.size());
    for (const TokenId id : ids)
        pieces.push_back(tokenPiece(model, id));
    return pieces;
}

Json sequenceObject(const HeadvisContent& content, const HeadExamples& head,
                    const AttentionExample& example) {
    const TokenIds& ids = content.sequences[example.sequence].ids;
    Json indices = Json::array();
    Json values = Json::array();
    for (const ShownWeight& entry : example.entries) {
        indices.push_back(std::size_t{entry.query} * ids.size() + entry.key);
        values.push_back(rounded(static_cast<double>(entry.weight)));
    }
    return {{"sequence_id", example.sequence},
            {"interval", example.interval},
            {"tokens", piecesOf(content.model, ids)},
            {"seq_len", ids.size()},
            {"attention_indices", std::move(indices)},
            {"attention_values", std::move(values)},
            {"max_activation", rounded(static_cast<double>(head.strongest[example.sequence]))}};
}

/// How many of the weights that are kept join tokens 0, 1, 2–3, 4–7, … apart.
Json distanceHistogram(const HeadvisContent& content, const HeadExamples& head) {
    std::size_t longest = 1;
    for (const AttentionExample& example : head.examples)
        longest = std::max(longest, content.sequences[example.sequence].ids.size());
    std::vector<std::size_t> edges{0, 1};
    while (edges.back() < longest)
        edges.push_back(2 * edges.back());
    std::vector<std::size_t> counts(edges.size() - 1);
    for (const AttentionExample& example : head.examples)
        for (const ShownWeight& entry : example.entries) {
            const std::size_t distance =
                entry.query < entry.key ? entry.key - entry.query : entry.query - entry.key;
            const auto bin = std::ranges::upper_bound(edges, distance) - edges.begin() - 1;
            ++counts[static_cast<std::size_t>(bin)];
        }
    return {{"bin_edges", edges}, {"bin_values", counts}};
}

/// The histogram of the largest weights of all sequences.
Json activationHistogram(const HeadExamples& head) {
    Json edges = Json::array();
    for (std::size_t i = 0; i <= kActivationBins; ++i)
        edges.push_back(rounded(static_cast<double>(i) / kActivationBins));
    std::vector<std::size_t> counts(kActivationBins);
    for (const float strongest : head.strongest)
        ++counts[std::min(static_cast<std::size_t>(strongest * float{kActivationBins}),
                          kActivationBins - 1)];
    return {{"bin_edges", std::move(edges)}, {"bin_values", counts}};
}

/// Attention by the token that `side` of an entry points to, most first.
Json topTokens(const HeadvisContent& content, const HeadExamples& head,
               std::uint32_t ShownWeight::*side) {
    std::map<TokenId, double> by_token;
    for (const AttentionExample& example : head.examples)
        for (const ShownWeight& entry : example.entries)
            by_token[content.sequences[example.sequence].ids[entry.*side]] +=
                static_cast<double>(entry.weight);
    std::vector<std::pair<TokenId, double>> sorted(by_token.begin(), by_token.end());
    std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<TokenId, double>::second);
    sorted.resize(std::min(sorted.size(), kMostTokens));
    Json tokens = Json::array();
    for (const auto& [id, weight] : sorted)
        tokens.push_back({{"token", tokenPiece(content.model, id)}, {"weight", rounded(weight)}});
    return tokens;
}

Json headvisHead(const HeadvisContent& content, LayerHead head, const HeadExamples& examples) {
    Json sequences = Json::array();
    for (const AttentionExample& example : examples.examples)
        sequences.push_back(sequenceObject(content, examples, example));
    Json types = Json::array();
    for (const HeadTypeId id : labels(content.scores, head, content.thresholds))
        types.push_back({{"token", std::string(headType(id).key)},
                         {"weight", rounded(content.scores.at(id, head).score)}});
    const double sum = std::accumulate(examples.strongest.begin(), examples.strongest.end(), 0.0);
    return {
        {"sequences", std::move(sequences)},
        {"qk_distance_histogram", distanceHistogram(content, examples)},
        {"histogram", activationHistogram(examples)},
        {"top_query_tokens", topTokens(content, examples, &ShownWeight::query)},
        {"top_key_tokens", topTokens(content, examples, &ShownWeight::key)},
        {"types", std::move(types)},
        {"statistics",
         {{"mean_max_activation", rounded(sum / static_cast<double>(examples.strongest.size()))},
          {"n_sequences", examples.strongest.size()}}}};
}

Result<void> writeJsonFile(const fs::path& path, const Json& value, int indent = -1) {
    return writeFileAtomically(
        path, value.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// "L4H11.json"
std::string headFileName(LayerHead head) {
    std::string name = "L" + std::to_string(head.layer);
    name += "H" + std::to_string(head.head);
    return name + ".json";
}

Result<void> writeHeads(const fs::path& folder, const HeadvisContent& content) {
    for (const LayerHead head : content.heads.heads()) {
        if (auto written = writeJsonFile(folder / headFileName(head),
                                         headvisHead(content, head, content.heads[head]));
            !written)
            return written;
    }
    return {};
}

Result<void> writeTree(const fs::path& folder, const HeadvisContent& content) {
    std::error_code error;
    fs::create_directory(folder / "heads", error);
    fs::create_directory(folder / "attributions", error); // what is missing is told below
    Json scatter = Json::array();
    for (const LayerHead head : content.heads.heads())
        scatter.push_back(scatterRow(content, head, content.heads[head]));
    if (auto written = writeHeads(folder / "heads", content); !written)
        return written;
    for (const auto& [name, value] :
         {std::pair{"attributions/manifest.json", Json::object()},
          std::pair{"server_config.json", Json::object()}, std::pair{"scatter_data.json", scatter}})
        if (auto written = writeJsonFile(folder / name, value); !written)
            return written;
    const std::string scores =
        tableJson(scoreTable(content.scores, content.thresholds, content.provenance));
    if (auto written = writeFileAtomically(folder / "scores.json", scores); !written)
        return written;
    return writeJsonFile(folder / "config.json", configOf(content), 2);
}

} // namespace

Result<void> writeHeadvis(const fs::path& folder, const HeadvisContent& content) {
    return writeFolderAtomically(
        folder, [&](const fs::path& temporary) { return writeTree(temporary, content); });
}

} // namespace headscope

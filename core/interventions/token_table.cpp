#include "core/interventions/token_table.h"

#include "core/base/text.h"
#include "core/interventions/tables/metric_values.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headscope {

namespace {

constexpr std::string_view kMeanEmbedding = "mean embedding";

std::string nameOf(const TokenChanges& each) {
    return std::string(tokenMethodName(each.method));
}

bool integrates(const TokenDependence& result) {
    return std::ranges::find(result.methods, TokenMethod::Integrated, &TokenChanges::method) !=
           result.methods.end();
}

/// "loss", "attention weight of 4.1 from 14 ·to to 2 ·Mary"
std::string readingText(const TokenReading& reading, const Provenance& provenance) {
    if (const auto* metric = std::get_if<Metric>(&reading))
        return std::string(metricName(metric->kind));
    const auto& entry = std::get<AttentionEntry>(reading);
    return std::string(entry.score ? "attention score of " : "attention weight of ") +
           headText(entry.head) + " from " + positionText(provenance.pieces, entry.query) + " to " +
           positionText(provenance.pieces, entry.key);
}

std::string valueText(const TokenDependence& result, const Provenance& provenance) {
    if (const auto* metric = std::get_if<Metric>(&result.question.reading))
        return metricText(*metric, result.value);
    return readingText(result.question.reading, provenance) + " " + fixedText(result.value, 4);
}

std::string captionOf(const TokenDependence& result, const Model& model,
                      const Provenance& provenance) {
    const std::optional<TokenId> baseline = result.question.baseline->token;
    std::string caption = provenance.model_name + ": " + valueText(result, provenance) +
                          "; what it changes by without each token, replaced by the " +
                          (baseline ? "token " + displayPiece(tokenPiece(model, *baseline))
                                    : std::string(kMeanEmbedding));
    if (integrates(result))
        caption += "\nIntegrated gradients of " + std::to_string(result.question.steps) +
                   " steps sum to " +
                   fixedText(result.without_all - result.value + result.completenessGap(), 4) +
                   "; without all tokens it changes by " +
                   fixedText(result.without_all - result.value, 4) + ".";
    if (!result.note().empty())
        caption += "\n" + result.note();
    return caption;
}

std::string meaningOf(TokenMethod method) {
    switch (method) {
    case TokenMethod::Hide:
        return "Value with the token's key hidden from all other positions, less that of the "
               "prompt";
    case TokenMethod::Replace:
        return "Value with the baseline in the token's place, less that of the prompt";
    case TokenMethod::Gradient:
        return "The same as replace to first order, by gradient × input";
    case TokenMethod::Integrated:
        return "The token's part of what all tokens change together, by integrated gradients";
    }
    return {};
}

Column changeColumn(const TokenDependence& result, TokenMethod method) {
    const auto* metric = std::get_if<Metric>(&result.question.reading);
    return {.key = std::string(tokenMethodName(method)),
            .title = std::string(tokenMethodName(method)),
            .unit = metric ? metricUnit(*metric) : "",
            .meaning = meaningOf(method)};
}

Value metricValue(const TokenReading& reading) {
    const auto* metric = std::get_if<Metric>(&reading);
    return metric ? Value(metricRecord(*metric)) : Value();
}

Value attentionValue(const TokenReading& reading) {
    const auto* entry = std::get_if<AttentionEntry>(&reading);
    if (!entry)
        return {};
    return Record{{"head", entry->head},
                  {"key", entry->key},
                  {"of", entry->score ? "score" : "weight"},
                  {"query", entry->query}};
}

void addCorrelations(Table& table, const TokenDependence& result) {
    List correlations;
    for (std::size_t a = 0; a < result.methods.size(); ++a)
        for (std::size_t b = a + 1; b < result.methods.size(); ++b) {
            const std::vector<std::string> names{"correlation", nameOf(result.methods[a]),
                                                 nameOf(result.methods[b])};
            const double correlation = result.correlation(a, b);
            correlations.emplace_back(
                Record{{"a", names[1]}, {"b", names[2]}, {"correlation", correlation}});
            table.fields.push_back({join(names, "_"), correlation, Files::Csv});
        }
    table.fields.push_back({"correlations", std::move(correlations), Files::Json});
}

/// Position, token, and a number of each method.
void addTokens(Table& table, const TokenDependence& result, const Model& model,
               const Provenance& provenance) {
    for (std::size_t position = 0; position < result.question.ids.size(); ++position) {
        TableRow row{position, tokenPiece(model, result.question.ids[position]),
                     positionText(provenance.pieces, position)};
        for (const TokenChanges& each : result.methods)
            row.emplace_back(each.changes[position]);
        table.rows.push_back(std::move(row));
    }
}

std::vector<Field> fieldsOf(const TokenDependence& result, const Model& model,
                            const Provenance& provenance) {
    const TokenReading& reading = result.question.reading;
    const std::optional<TokenId> baseline = result.question.baseline->token;
    const auto ofIntegrated = [&](auto number) {
        return integrates(result) ? Value(number) : Value();
    };
    return {{"value", result.value},
            {"reading", readingText(reading, provenance)},
            {"metric", metricValue(reading), Files::Json},
            {"attention", attentionValue(reading), Files::Json},
            {"baseline", baseline ? tokenPiece(model, *baseline) : std::string(kMeanEmbedding)},
            {"baseline_token", baseline},
            {"seen", result.seen},
            {"steps", ofIntegrated(result.question.steps)},
            {"without_all", ofIntegrated(result.without_all)},
            {"gap", ofIntegrated(result.completenessGap())},
            {"note", unlessEmpty(result.note()), Files::Json},
            {"prompt", provenance.promptId(), Files::Csv}};
}

} // namespace

Table tokenTable(const TokenDependence& result, const Model& model, const Provenance& provenance) {
    Table table;
    table.caption = captionOf(result, model, provenance);
    table.key = "tokens";
    table.columns = {{.key = "position"},
                     {.key = "token"},
                     {.key = "token text", .title = "token", .files = Files::None}};
    for (const TokenChanges& each : result.methods)
        table.columns.push_back(changeColumn(result, each.method));
    addTokens(table, result, model, provenance);
    table.fields = fieldsOf(result, model, provenance);
    addCorrelations(table, result);
    table.provenance = provenance;
    return table;
}

Table tokenCorrelationGrid(const TokenDependence& result) {
    Table table;
    table.caption = "Rank correlation (Spearman) over the " + std::to_string(result.seen) +
                    " tokens that it can depend on:";
    table.columns = {{.key = "method", .title = "method"}};
    for (std::size_t a = 0; a < result.methods.size(); ++a) {
        const std::string name = nameOf(result.methods[a]);
        table.columns.push_back(
            {.key = name,
             .title = name,
             .decimals = 2,
             .meaning = "Rank correlation of the changes that the two methods find, −1 to 1"});
        TableRow row{name};
        for (std::size_t b = 0; b < result.methods.size(); ++b)
            row.emplace_back(result.correlation(a, b));
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace headscope

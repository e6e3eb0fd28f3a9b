#include "ui/document/why_detail.h"

#include "core/attribution/score_signals.h"
#include "core/attribution/score_tables.h"
#include "core/export/provenance.h"
#include "core/interventions/token_dependence.h"
#include "core/interventions/token_table.h"
#include "ui/document/attribution_reading.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"

#include <QCoreApplication>

namespace headscope::ui {
namespace {

struct WhyDetailText {
    Q_DECLARE_TR_FUNCTIONS(WhyDetailText)
};

const Model& modelOf(const WhyReading& reading) {
    return *reading.result->full->model;
}

Provenance provenanceOfCell(const WhyReading& reading) {
    return provenanceOf(modelOf(reading), reading.result->prompt, reading.result->mask);
}

/// "2.84", "2.84 above the other keys", "0.31 below 4 ·John"
QString amountText(const WhyReading& reading) {
    const double amount = reading.parts.difference();
    const QString other = contrastName(reading);
    if (other.isEmpty())
        return numberText(amount, 2);
    return amount < 0.0 ? WhyDetailText::tr("%1 below %2").arg(numberText(-amount, 2), other)
                        : WhyDetailText::tr("%1 above %2").arg(numberText(amount, 2), other);
}

QString baselineName(const TokenQuestion& question, const Model& model) {
    const auto token = question.baseline ? question.baseline->token : std::nullopt;
    return token ? tokenText(model, *token) : WhyDetailText::tr("the mean embedding");
}

WhyDetailTable pairsDetail(const WhyReading& reading) {
    return {scoreTable(reading.parts, modelOf(reading), provenanceOfCell(reading)),
            WhyDetailText::tr("What the query reads times what the key reads; all pairs%1 add up "
                              "to the score's %2.")
                .arg(reading.parts.distance == 0.0
                         ? QString()
                         : WhyDetailText::tr(" and %1 by the distance")
                               .arg(numberText(reading.parts.distance, 2)),
                     amountText(reading))};
}

Result<WhyDetailTable> directionsDetail(const WhyReading& reading) {
    const auto signals_found =
        scoreSignals(*reading.run, reading.parts.question, kWordedDirections);
    if (!signals_found)
        return signals_found.error();
    return WhyDetailTable{
        signalsTable(*signals_found, modelOf(reading), provenanceOfCell(reading)),
        WhyDetailText::tr(
            "%1 of the %2 singular directions of the head's QK form carry 90 % of the "
            "score's %3. Words: whose embeddings lie furthest along them.")
            .arg(signals_found->carrying(0.9))
            .arg(signals_found->directions.size())
            .arg(amountText(reading))};
}

Result<WhyDetailTable> dimensionsDetail(const WhyReading& reading) {
    const auto dimensions = scoreDimensions(*reading.run, reading.parts.question);
    if (!dimensions)
        return dimensions.error();
    return WhyDetailTable{
        dimensionsTable(*dimensions, modelOf(reading), provenanceOfCell(reading)),
        WhyDetailText::tr("Query times key by dimension of the head, after norm and rotary; a key "
                          "less what it is compared with. They add up to the score's %1.")
            .arg(amountText(reading))};
}

Result<WhyDetailTable> allKeysDetail(const WhyReading& reading) {
    const ScoreQuestion& cell = reading.parts.question;
    auto dimensions = queryDimensions(*reading.run, cell.head, cell.query);
    if (!dimensions)
        return dimensions.error();
    return WhyDetailTable{
        {},
        WhyDetailText::tr("Query times key at %1, for each key and dimension of the head; a row "
                          "adds up to the score of its key.")
            .arg(positionName(*reading.result, cell.query)),
        std::make_shared<const QueryDimensions>(*std::move(dimensions))};
}

Result<WhyDetailTable> tokensDetail(const WhyReading& reading, const Progress& progress,
                                    const std::stop_token& stop) {
    if (!reading.result->mask.empty())
        return Error{ErrorCode::Unsupported,
                     WhyDetailText::tr("Tokens can be removed only in the whole model; restore all "
                                       "heads to see which tokens this weight depends on.")
                         .toStdString()};
    const ScoreQuestion& cell = reading.parts.question;
    const auto found = tokenDependence(
        reading.result->full->model,
        {reading.result->prompt.ids, AttentionEntry{cell.head, cell.query, cell.key}}, progress,
        stop);
    if (!found)
        return found.error();
    const auto correlation = [&](TokenMethod a, TokenMethod b) { // all methods, in their order
        return numberText(
            found->correlation(static_cast<std::size_t>(a), static_cast<std::size_t>(b)), 2);
    };
    return WhyDetailTable{
        tokenTable(*found, modelOf(reading), provenanceOfCell(reading)),
        WhyDetailText::tr("What the %1 of attention on %2 change by when a token is hidden from "
                          "all other positions, or replaced by %3, as measured. Gradients estimate "
                          "the latter, with rank correlations of %4 and %5.")
            .arg(percentText(reading.parts.weight), positionName(*reading.result, cell.key),
                 baselineName(found->question, modelOf(reading)),
                 correlation(TokenMethod::Replace, TokenMethod::Gradient),
                 correlation(TokenMethod::Replace, TokenMethod::Integrated))};
}

} // namespace

QString dimensionText(const QString& key, const QueryDimensions& dimensions, std::size_t row,
                      std::size_t dimension) {
    const auto number = [](double value) { return numberText(value, 2); };
    const QString text =
        WhyDetailText::tr("%1, dimension %2: query %3 times key %4 adds %5.")
            .arg(key, QString::number(dimension), number(dimensions.query[dimension]),
                 number(dimensions.keys(row, dimension)), number(dimensions.parts(row, dimension)));
    return dimensions.turned ? text + QStringLiteral(" ") +
                                   WhyDetailText::tr("Before rotary positions: %1 and %2.")
                                       .arg(number(dimensions.query_before[dimension]),
                                            number(dimensions.keys_before(row, dimension)))
                             : text;
}

Result<WhyDetailTable> readWhyDetail(WhyDetail detail, const WhyReading& reading,
                                     const Progress& progress, const std::stop_token& stop) {
    switch (detail) {
    case WhyDetail::Pairs:
        return pairsDetail(reading);
    case WhyDetail::Directions:
        return directionsDetail(reading);
    case WhyDetail::Dimensions:
        return dimensionsDetail(reading);
    case WhyDetail::AllKeys:
        return allKeysDetail(reading);
    case WhyDetail::Tokens:
        return tokensDetail(reading, progress, stop);
    }
    return WhyDetailTable{};
}

} // namespace headscope::ui

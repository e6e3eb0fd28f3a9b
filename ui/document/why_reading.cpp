#include "ui/document/why_reading.h"

#include "core/attribution/score_row.h"
#include "core/attribution/score_signals.h"
#include "core/attribution/score_tables.h"
#include "core/export/provenance.h"
#include "core/interventions/token_dependence.h"
#include "core/interventions/token_table.h"
#include "ui/document/attribution_reading.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <functional>

namespace headscope::ui {

namespace {

struct WhyText {
    Q_DECLARE_TR_FUNCTIONS(WhyText)
};

constexpr double kFollowedAbove = 2.0; ///< times the least share; others wait for a click
constexpr std::size_t kTraceNodes = 20;
constexpr std::size_t kPatternSide = 75;
constexpr std::size_t kNodesOfAHead = 8; ///< room for what a head that is followed brings

Markup bold(const QString& text) {
    return markup(u"<b>%1</b>", text);
}

QString decimals(double value) {
    return numberText(value, 2);
}

} // namespace

Result<WhyReading> readWhy(const WhyQuestion& question, const WhyReading& known,
                           const std::stop_token& stop) {
    WhyReading reading;
    reading.result = question.result;
    reading.run = known.run;
    if (!known.run || known.result != question.result) {
        auto run = StreamRun::read(question.result->full->model,
                                   {question.result->prompt.ids, question.result->mask}, stop);
        if (!run)
            return run.error();
        reading.run = std::make_shared<const StreamRun>(*std::move(run));
    }
    const StreamRun& run = *reading.run;
    if (auto checked = checkHead(question.head, run.spec()); !checked)
        return checked.error();
    const PositionRange keys = ScoreRow(run, question.head, question.query).visible();
    const Tensor row = run.run().pattern(question.head, {question.query, question.query + 1}, keys);
    for (std::size_t key = keys.begin; key < keys.end; ++key)
        reading.keys.emplace_back(key, static_cast<double>(row(0u, key - keys.begin)));
    const bool sees_key = question.key && keys.contains(*question.key);
    ScoreQuestion cell{question.head, question.query,
                       sees_key ? *question.key : strongestKey(run, question.head, question.query)};
    cell.contrast = question.contrast;
    cell.other = question.other;
    if (cell.contrast == ScoreContrast::Key &&
        (cell.other == cell.key || cell.other < keys.begin || cell.other >= keys.end))
        cell.contrast = ScoreContrast::OtherKeys;
    if (reading.keys.size() == 1)
        cell.contrast = ScoreContrast::Nothing;
    auto parts = takeScoreApart(run, cell);
    if (!parts)
        return parts.error();
    reading.parts = *std::move(parts);
    TraceQuestion traced{cell, question.least_share,
                         kTraceNodes + kNodesOfAHead * question.followed.size(), question.followed};
    traced.least_followed = kFollowedAbove * question.least_share;
    auto trace = traceBack(run, traced, stop);
    if (!trace)
        return trace.error();
    reading.trace = *std::move(trace);
    return reading;
}

std::map<LayerHead, Tensor> tracedPatterns(const WhyReading& reading, const std::stop_token& stop) {
    const Run& run = reading.run->run();
    const PositionRange all{0, run.positions()};
    const std::size_t side = std::min(run.positions(), kPatternSide);
    std::map<LayerHead, Tensor> patterns;
    for (const TraceNode& node : reading.trace.nodes) {
        const StreamWriter& writer = node.place->writer;
        if (writer.kind != WriterKind::Head || patterns.contains(writer.of))
            continue;
        if (stop.stop_requested())
            break;
        patterns.emplace(writer.of, run.pooledPattern(writer.of, all, all, side, side));
    }
    return patterns;
}

QString writerName(const StreamWriter& writer) {
    switch (writer.kind) {
    case WriterKind::Embedding:
        return WhyText::tr("the embedding");
    case WriterKind::Positions:
        return WhyText::tr("the positions");
    case WriterKind::TokenTypes:
        return WhyText::tr("the token types");
    case WriterKind::Head:
        return headName(writer.of);
    case WriterKind::Mlp:
        return WhyText::tr("MLP of layer %1").arg(writer.of.layer);
    case WriterKind::Biases:
        return WhyText::tr("the biases");
    }
    return {};
}

QString contrastName(const WhyReading& reading) {
    const ScoreQuestion& cell = reading.parts.question;
    switch (cell.contrast) {
    case ScoreContrast::Nothing:
        return {};
    case ScoreContrast::OtherKeys:
        return WhyText::tr("the other keys");
    case ScoreContrast::Key:
        return positionName(*reading.result, cell.other);
    }
    return {};
}

Markup whyMarkup(const WhyReading& reading) {
    const ScoreParts& parts = reading.parts;
    const ScoreQuestion& cell = parts.question;
    const Markup query = bold(positionName(*reading.result, cell.query));
    const Markup key = bold(positionName(*reading.result, cell.key));
    const Markup looks = markup(WhyText::tr("%1 gives %2 of its attention at %3 to %4."),
                                bold(headName(cell.head)), percentText(parts.weight), query, key);
    if (reading.keys.size() == 1)
        return markup(u"%1 %2", looks,
                      WhyText::tr("It sees no other key there, so nothing had to be matched."));
    const WriterPart of_key = parts.most(HeadSide::Key);
    const WriterPart of_query = parts.most(HeadSide::Query);
    const auto share = [&](const WriterPart& part) {
        return shareText(parts.difference() == 0.0 ? 0.0 : parts.share(part.value));
    };
    const double all = parts.difference();
    const Markup other = cell.contrast == ScoreContrast::Key ? bold(contrastName(reading))
                                                             : Markup(contrastName(reading));
    const Markup distance =
        other.isEmpty() ? markup(WhyText::tr("The score is %1, most of it by what"), decimals(all))
        : all < 0.0     ? markup(WhyText::tr("The score is %1 below %2, most of it by what"),
                                 decimals(-all), other)
                        : markup(WhyText::tr("The score is %1 above %2, most of it by what"),
                                 decimals(all), other);
    const Markup matched =
        markup(WhyText::tr("%1 wrote at %2 (%3), matched by what %4 wrote at %5 (%6)."),
               bold(writerName(of_key.writer)), key, share(of_key),
               bold(writerName(of_query.writer)), query, share(of_query));
    return markup(u"%1 %2 %3", looks, distance, matched) +
           (parts.capped ? markup(u" %1", WhyText::tr("The soft-cap is held at its value here."))
                         : Markup());
}

QString partName(const RemovedPart& part) {
    const auto* direction = std::get_if<StreamDirection>(&part);
    return direction ? toQString(direction->name) : writerName(std::get<StreamWriter>(part));
}

QString removalText(const WhyReading& reading, const PartRemoval& removal) {
    const RemovalQuestion& question = removal.question;
    const bool key = question.side == HeadSide::Key;
    const QString what =
        (key ? WhyText::tr("Without what %1 gives the key at %2")
             : WhyText::tr("Without what %1 gives the query at %2"))
            .arg(partName(question.part),
                 positionName(*reading.result, key ? question.key : question.query));
    QString text =
        WhyText::tr("%1: the score of %2 should fall to %3, and measured it is %4; with the norms "
                    "taken anew %5, along random directions %6. The weight goes from %7 to %8")
            .arg(what, decimals(removal.whole.score), decimals(removal.predicted.score),
                 decimals(removal.held.score), decimals(removal.measured.score),
                 decimals(removal.meanRandomScore()), percentText(removal.whole.weight),
                 percentText(removal.measured.weight));
    if (removal.measured.kl)
        text += WhyText::tr(", and the prediction at %1 moves by %2 nats")
                    .arg(positionName(*reading.result, question.query))
                    .arg(*removal.measured.kl, 0, 'g', 2);
    return text + QStringLiteral(".");
}

QString shareText(double share) {
    return QStringLiteral("%1 %").arg(std::lround(100.0 * share));
}

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
            "score's %3. Words: tokens whose embeddings reach furthest along them.")
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
        WhyDetailText::tr(
            "Query times key for each dimension of the head, after norm and rotary, minus the "
            "same for the key it is compared with, if any. They add up to the score's %1.")
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

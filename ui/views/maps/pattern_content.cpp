#include "ui/views/maps/pattern_content.h"

#include "core/attribution/shown_attention.h"
#include "core/model/prompt.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

struct PatternText {
    Q_DECLARE_TR_FUNCTIONS(PatternText)
};

QString between() {
    return QStringLiteral(" · ");
}

QString pieceAt(const RunResult& result, std::size_t position) {
    return result.shown_pieces[static_cast<qsizetype>(position)];
}

/// Model, BOS and ablated heads: what a figure needs to be understood later.
QString figureNote(const RunResult& result) {
    const Model& model = *result.full->model;
    QString note =
        toQString(model.name) + between() +
        (result.prompt.has_bos ? PatternText::tr("with BOS") : PatternText::tr("without BOS"));
    if (!result.mask.empty())
        note += between() + PatternText::tr("ablated: %1").arg(toQString(result.mask.text()));
    return note;
}

QString weightText(double value) {
    return QString::number(value, 'f', 3);
}

QString signedText(double value) {
    return value > 0.0 ? QLatin1Char('+') + weightText(value) : weightText(value);
}

float cellOf(const CellSource& cells, std::size_t query, std::size_t key) {
    return cells.exact({query, query + 1}, {key, key + 1})(0, 0);
}

/// "change +0.310 · from 0.100 to 0.410", or with the names of what is compared.
QString changeText(const PatternSource& source, const HeadPattern& pattern, std::size_t query,
                   std::size_t key) {
    const auto before = static_cast<double>(cellOf(*pattern.before, query, key));
    const auto after = static_cast<double>(cellOf(*pattern.after, query, key));
    const QString change = signedText(static_cast<double>(cellOf(*pattern.cells, query, key)));
    return (source.other ? PatternText::tr("B − A %1 · A %2 · B %3")
                         : PatternText::tr("change %1 · %2 in the whole model, %3 now"))
        .arg(change, weightText(before), weightText(after));
}

/// Why there is no value.
QString noValueText(const PatternSource& source, std::size_t query, std::size_t key) {
    if (source.other)
        for (const std::size_t position : {query, key})
            if (!(*source.other_of)[position])
                return PatternText::tr("no token of B stands for %1")
                    .arg(tokenName(*source.result, position));
    return key > query ? PatternText::tr("masked: a causal model cannot look ahead")
                       : PatternText::tr("masked: outside this layer's window");
}

/// Place of a weight among those of its row that can be seen, 1 for the largest, and how many.
std::pair<std::size_t, std::size_t> rankInRow(std::span<const float> row, float weight) {
    const auto larger = std::ranges::count_if(row, [&](float other) { return other > weight; });
    const auto visible = std::ranges::count_if(row, [](float other) { return !std::isnan(other); });
    return {static_cast<std::size_t>(larger) + 1, static_cast<std::size_t>(visible)};
}

/// The sum of the row after its first key.
double sumWithoutFirst(std::span<const float> row) {
    double sum = 0.0;
    for (const float weight : row.subspan(1))
        sum += std::isnan(weight) ? 0.0 : static_cast<double>(weight);
    return sum;
}

/// What the head's learned sink takes of a row; nothing where there is none.
QString sinkText(const HeadPattern& pattern, std::size_t query) {
    if (pattern.learned_sink.empty())
        return {};
    return between() + PatternText::tr("learned sink %1")
                           .arg(weightText(static_cast<double>(pattern.learned_sink[query])));
}

} // namespace

QString patternMapName(PatternMap map) {
    switch (map) {
    case PatternMap::Attention:
        return PatternText::tr("Attention");
    case PatternMap::ValueWeighted:
        return PatternText::tr("Value-weighted");
    case PatternMap::Difference:
        break;
    }
    return PatternText::tr("Difference");
}

QString valueName(PatternMap map, bool is_compared) {
    QString name = map == PatternMap::Attention       ? PatternText::tr("attention")
                   : map == PatternMap::ValueWeighted ? PatternText::tr("value-weighted attention")
                                                      : PatternText::tr("change of attention");
    return is_compared ? PatternText::tr("%1, B − A").arg(name) : name;
}

QString patternTitle(const PatternSource& source, LayerHead head, const HeadScores* scores,
                     const Thresholds& thresholds, PatternMap map) {
    QString title = headName(head);
    if (source.side)
        title.prepend(sideName(*source.side) + between());
    if (map == PatternMap::ValueWeighted)
        title += between() + PatternText::tr("value-weighted");
    if (map == PatternMap::Difference)
        title += between() + PatternText::tr("difference from the whole model");
    const HeadMask& mask = source.result->mask;
    if (mask.isAblated(head))
        title +=
            between() + PatternText::tr("ablated (%1)").arg(ablationName(mask.heads().at(head)));
    if (scores)
        title += between() + labelText(*scores, head, thresholds);
    return title;
}

QString patternNote(const PatternSource& source, const HeadPattern& pattern) {
    QString note = figureNote(*source.result);
    if (source.other)
        note = PatternText::tr("A “%1”, %2").arg(promptExcerpt(*source.result), note) + between() +
               PatternText::tr("B “%1”, %2")
                   .arg(promptExcerpt(*source.other), figureNote(*source.other));
    if (pattern.map == PatternMap::ValueWeighted)
        note += between() + PatternText::tr("A[q, k]·‖v_k W_O‖, each row divided by its sum");
    if (pattern.map == PatternMap::Difference)
        note += between() + PatternText::tr("attention less that of the whole model");
    if (!pattern.learned_sink.empty())
        note += between() + PatternText::tr("learned sink takes %1 of the attention")
                                .arg(percentText(shareOfSink(pattern.learned_sink)));
    if (pattern.hidesFirstKey())
        note += between() + PatternText::tr("first key hidden");
    if (pattern.rows_are_rescaled)
        note += between() + PatternText::tr("rows divided by what is left of them");
    return note;
}

HeatmapContent patternContent(const PatternSource& source, const HeadPattern& pattern,
                              const QString& title) {
    HeatmapContent content;
    content.cells = pattern.shown;
    content.row_labels = source.labels();
    content.column_labels = content.row_labels;
    content.title = title;
    content.row_axis = PatternText::tr("query");
    content.column_axis = PatternText::tr("key");
    content.value_name = valueName(pattern.map, source.other != nullptr);
    content.note = patternNote(source, pattern);
    if (!pattern.hidesFirstKey() && !pattern.learned_sink.empty()) {
        content.bars = pattern.learned_sink;
        content.bars_beside = true;
        content.column_axis = PatternText::tr("key, beside a learned sink (%1 of the attention)")
                                  .arg(percentText(shareOfSink(pattern.learned_sink)));
        content.note += between() + PatternText::tr("grey bars: what the learned sink takes");
    }
    if (!pattern.hidesFirstKey())
        return content;
    content.bars = pattern.first_key;
    content.column_axis =
        PatternText::tr("key, without ‹%1› (%2 of the attention)")
            .arg(pieceAt(*source.result, 0), percentText(pattern.first_key_share));
    content.note += between() + PatternText::tr("grey bars: what the first key gets");
    return content;
}

QString scaleNote(ValueScale scale) {
    switch (scale) {
    case ValueScale::Linear:
        return {};
    case ValueScale::SquareRoot:
        return between() + PatternText::tr("colours by the square root");
    case ValueScale::Logarithmic:
        break;
    }
    return between() + PatternText::tr("colours logarithmic");
}

QString promptExcerpt(const RunResult& result) {
    constexpr qsizetype kMostLetters = 60;
    const QString text = QString::fromStdString(promptText(result.prompt)).simplified();
    return text.size() > kMostLetters ? text.left(kMostLetters - 2) + QStringLiteral(" …") : text;
}

QString cellText(const PatternSource& source, const HeadPattern& pattern, std::size_t query,
                 std::size_t key) {
    const RunResult& result = *source.result;
    const QString pair =
        PatternText::tr("query %1 → key %2").arg(tokenName(result, query), tokenName(result, key));
    const Tensor row = pattern.cells->exact({query, query + 1}, {0, pattern.cells->columns()});
    const float weight = row(0, key);
    if (std::isnan(weight))
        return pair + between() + noValueText(source, query, key);
    if (pattern.isDifference())
        return pair + between() + changeText(source, pattern, query, key);
    const auto [rank, visible] = rankInRow(row.values(), weight);
    QString text = pair + between() +
                   (pattern.map == PatternMap::ValueWeighted ? PatternText::tr("value-weighted %1")
                                                             : PatternText::tr("weight %1"))
                       .arg(weightText(static_cast<double>(weight)));
    text += between() + PatternText::tr("rank %1 of %2").arg(rank).arg(visible);
    const double left = pattern.rows_are_rescaled && key > 0 ? sumWithoutFirst(row.values()) : 0.0;
    if (left > 0.0)
        text += between() + PatternText::tr("%1 of the row without the first key")
                                .arg(scoreText(static_cast<double>(weight) / left));
    return text + sinkText(pattern, query);
}

QString tokenName(const RunResult& result, std::size_t token) {
    return QStringLiteral("‹%1› %2").arg(pieceAt(result, token), QString::number(token));
}

QString tokenValue(const RunResult& result, std::size_t token, float value) {
    return tokenName(result, token) + QLatin1Char(' ') +
           QString::number(static_cast<double>(value), 'f', 3);
}

QString strongestText(const RunResult& result, std::span<const float> values, std::size_t count) {
    std::vector<std::pair<float, std::size_t>> visible;
    for (std::size_t token = 0; token < values.size(); ++token)
        if (!std::isnan(values[token]))
            visible.emplace_back(-std::fabs(values[token]), token);
    const std::size_t shown = std::min(count, visible.size());
    std::ranges::partial_sort(visible, visible.begin() + static_cast<std::ptrdiff_t>(shown));
    QStringList parts;
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t token = visible[i].second;
        parts << tokenValue(result, token, values[token]);
    }
    return parts.join(between());
}

QString readingSentence(const HeadPattern& pattern, TokenDirection direction) {
    const bool reads = direction == TokenDirection::Reads;
    if (pattern.isDifference())
        return reads ? PatternText::tr("query %1 changes most at %2")
                     : PatternText::tr("key %1 changes most for %2");
    if (pattern.map == PatternMap::ValueWeighted)
        return reads ? PatternText::tr("query %1 takes from %2")
                     : PatternText::tr("key %1 gives to %2");
    return reads ? PatternText::tr("query %1 looks at %2")
                 : PatternText::tr("key %1 is read by %2");
}

QString rowText(const RunResult& result, const HeadPattern& pattern, std::size_t query) {
    const Tensor row = pattern.cells->exact({query, query + 1}, {0, pattern.cells->columns()});
    return readingSentence(pattern, TokenDirection::Reads)
               .arg(tokenName(result, query), strongestText(result, row.values(), kMostNamed)) +
           sinkText(pattern, query);
}

} // namespace headscope::ui

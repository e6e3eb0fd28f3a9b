#include "ui/views/pattern/pattern_content.h"

#include "core/attribution/value_weighted.h"
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

/// Beside the colour scale.
QString valueName(PatternMap map) {
    switch (map) {
    case PatternMap::Attention:
        return PatternText::tr("attention");
    case PatternMap::ValueWeighted:
        return PatternText::tr("value-weighted attention");
    case PatternMap::Difference:
        break;
    }
    return PatternText::tr("change of attention");
}

/// Before a value of the map, in the line below it.
QString valueText(PatternMap map, double value) {
    const QString number = QString::number(value, 'f', 3);
    switch (map) {
    case PatternMap::Attention:
        return PatternText::tr("weight %1").arg(number);
    case PatternMap::ValueWeighted:
        return PatternText::tr("value-weighted %1").arg(number);
    case PatternMap::Difference:
        break;
    }
    return PatternText::tr("change %1").arg(value > 0.0 ? QLatin1Char('+') + number : number);
}

/// Place of a weight among those of its row that can be seen, 1 for the largest, and how many.
std::pair<std::size_t, std::size_t> rankInRow(std::span<const float> row, float weight) {
    const auto larger = std::ranges::count_if(row, [&](float other) { return other > weight; });
    const auto visible = std::ranges::count_if(row, [](float other) { return !std::isnan(other); });
    return {static_cast<std::size_t>(larger) + 1, static_cast<std::size_t>(visible)};
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

Result<std::shared_ptr<const Tensor>> valueNormsOf(const RunResult& result,
                                                   const std::stop_token& stop) {
    HookSet hooks;
    addAblation(hooks, result.mask, result.masked->model->spec);
    auto norms = valueNorms(result.masked->model, result.masked->ids, hooks, stop);
    if (!norms)
        return norms.error();
    return std::make_shared<const Tensor>(*std::move(norms));
}

HeadPattern headPattern(const RunResult& result, const std::shared_ptr<const Tensor>& norms,
                        LayerHead head, PatternMap map) {
    switch (map) {
    case PatternMap::Attention:
        return attentionMap(result.masked, head);
    case PatternMap::ValueWeighted:
        return valueWeightedMap(result.masked, norms, head);
    case PatternMap::Difference:
        break;
    }
    return differenceMap(result.masked, result.full, head);
}

QString patternTitle(LayerHead head, const HeadScores* scores, const Thresholds& thresholds,
                     const HeadMask& mask, PatternMap map) {
    QString title = headName(head);
    if (map == PatternMap::ValueWeighted)
        title += between() + PatternText::tr("value-weighted");
    if (map == PatternMap::Difference)
        title += between() + PatternText::tr("difference to the whole model");
    if (mask.isAblated(head))
        title +=
            between() + PatternText::tr("ablated (%1)").arg(ablationName(mask.heads().at(head)));
    if (scores)
        title += between() + labelText(*scores, head, thresholds);
    return title;
}

QString patternNote(const RunResult& result, const HeadPattern& pattern) {
    QString note = figureNote(result);
    if (pattern.map == PatternMap::ValueWeighted)
        note += between() + PatternText::tr("A[q, k]·‖v_k W_O‖, each row divided by its sum");
    if (pattern.map == PatternMap::Difference)
        note += between() + PatternText::tr("attention less that of the whole model");
    if (pattern.hidesFirstKey())
        note += between() + PatternText::tr("first key hidden");
    if (pattern.rows_are_rescaled)
        note += between() + PatternText::tr("rows divided by what is left of them");
    return note;
}

HeatmapContent patternContent(const RunResult& result, const HeadPattern& pattern,
                              const QString& title) {
    HeatmapContent content;
    content.cells = pattern.shown;
    content.row_labels = result.shown_pieces;
    content.column_labels = content.row_labels;
    content.title = title;
    content.row_axis = PatternText::tr("query");
    content.column_axis = PatternText::tr("key");
    content.value_name = valueName(pattern.map);
    content.note = patternNote(result, pattern);
    if (!pattern.hidesFirstKey())
        return content;
    content.bars = pattern.first_key;
    content.column_axis = PatternText::tr("key, without ‹%1› (%2 of the attention)")
                              .arg(pieceAt(result, 0), percentText(pattern.first_key_share));
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
    QString text = QString::fromStdString(result.prompt.text).simplified();
    if (text.isEmpty())
        for (std::size_t i = 0; i < std::min<std::size_t>(result.prompt.ids.size(), kMostLetters);
             ++i)
            text +=
                (i > 0 ? QStringLiteral(" ") : QString()) + QString::number(result.prompt.ids[i]);
    return text.size() > kMostLetters ? text.left(kMostLetters - 2) + QStringLiteral(" …") : text;
}

QString cellText(const RunResult& result, const HeadPattern& pattern, std::size_t query,
                 std::size_t key) {
    const QString pair =
        PatternText::tr("query %1 → key %2").arg(tokenName(result, query), tokenName(result, key));
    const Tensor row = pattern.cells->exact({query, query + 1}, {0, pattern.cells->columns()});
    const float weight = row(0, key);
    if (std::isnan(weight))
        return pair + between() +
               (key > query ? PatternText::tr("masked: a causal model cannot look ahead")
                            : PatternText::tr("masked: outside this layer's window"));
    const auto [rank, visible] = rankInRow(row.values(), weight);
    QString text = pair + between() + valueText(pattern.map, static_cast<double>(weight));
    if (pattern.map != PatternMap::Difference)
        text += between() + PatternText::tr("rank %1 of %2").arg(rank).arg(visible);
    if (pattern.rows_are_rescaled && key > 0 && row(0, 0) < 1.0f)
        text += between() + PatternText::tr("%1 of the row without the first key")
                                .arg(scoreText(static_cast<double>(weight / (1.0f - row(0, 0)))));
    return text;
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

QString readingSentence(PatternMap map, TokenDirection direction) {
    const bool reads = direction == TokenDirection::Reads;
    switch (map) {
    case PatternMap::Attention:
        return reads ? PatternText::tr("query %1 looks at %2")
                     : PatternText::tr("key %1 is read by %2");
    case PatternMap::ValueWeighted:
        return reads ? PatternText::tr("query %1 takes from %2")
                     : PatternText::tr("key %1 gives to %2");
    case PatternMap::Difference:
        break;
    }
    return reads ? PatternText::tr("query %1 changes most at %2")
                 : PatternText::tr("key %1 changes most for %2");
}

QString rowText(const RunResult& result, const HeadPattern& pattern, std::size_t query) {
    const Tensor row = pattern.cells->exact({query, query + 1}, {0, pattern.cells->columns()});
    return readingSentence(pattern.map, TokenDirection::Reads)
        .arg(tokenName(result, query), strongestText(result, row.values(), kMostNamed));
}

} // namespace headscope::ui

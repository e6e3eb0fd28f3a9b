#include "ui/views/pattern/pattern_content.h"

#include "core/attribution/value_weighted.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

struct PatternText {
    Q_DECLARE_TR_FUNCTIONS(PatternText)
};

QString pieceAt(const RunResult& result, std::size_t position) {
    return result.shown_pieces[static_cast<qsizetype>(position)];
}

/// Model, BOS and ablated heads: what a figure needs to be understood later.
QString figureNote(const RunResult& result) {
    const Model& model = *result.full->model;
    QString note =
        toQString(model.name) + QStringLiteral(" · ") +
        (result.prompt.has_bos ? PatternText::tr("with BOS") : PatternText::tr("without BOS"));
    if (!result.mask.empty())
        note += QStringLiteral(" · ") +
                PatternText::tr("ablated: %1").arg(toQString(result.mask.text()));
    return note;
}

PositionRange positionsOf(const CellRange& cells) {
    return {cells.begin, cells.end};
}

/// Cells are recomputed from queries and keys, so that a pattern costs no memory.
class PatternCells : public CellSource {
public:
    PatternCells(std::shared_ptr<const Run> run, LayerHead head)
        : run_(std::move(run)), head_(head) {}

    std::size_t rows() const override { return run_->positions(); }
    std::size_t columns() const override { return run_->positions(); }
    Tensor pooled(const TileRequest& request) const override {
        return run_->pooledPattern(head_, positionsOf(request.rows), positionsOf(request.columns),
                                   request.most_rows, request.most_columns);
    }

private:
    std::shared_ptr<const Run> run_;
    LayerHead head_;
};

/// The same of A[q, k]·‖v_k W_O‖.
class ValueWeightedCells : public CellSource {
public:
    ValueWeightedCells(std::shared_ptr<const Run> run, std::shared_ptr<const Tensor> norms,
                       LayerHead head)
        : run_(std::move(run)), norms_(std::move(norms)), head_(head) {}

    std::size_t rows() const override { return run_->positions(); }
    std::size_t columns() const override { return run_->positions(); }
    Tensor pooled(const TileRequest& request) const override {
        return pooledValueWeightedPattern(*run_, *norms_, head_, positionsOf(request.rows),
                                          positionsOf(request.columns), request.most_rows,
                                          request.most_columns);
    }

private:
    std::shared_ptr<const Run> run_;
    std::shared_ptr<const Tensor> norms_; ///< [layer, head, key]
    LayerHead head_;
};

/// Values of one query, NaN for the keys it cannot see.
Tensor visibleRow(const CellSource& cells, std::size_t query) {
    return cells.pooled({{query, query + 1}, {0, cells.columns()}, 1, cells.columns()});
}

/// Place of a weight among those of its row that can be seen, 1 for the largest, and how many.
std::pair<std::size_t, std::size_t> rankInRow(std::span<const float> row, float weight) {
    const auto larger = std::ranges::count_if(row, [&](float other) { return other > weight; });
    const auto visible = std::ranges::count_if(row, [](float other) { return !std::isnan(other); });
    return {static_cast<std::size_t>(larger) + 1, static_cast<std::size_t>(visible)};
}

} // namespace

QString patternMapName(PatternMap map) {
    return map == PatternMap::Attention ? PatternText::tr("Attention")
                                        : PatternText::tr("Value-weighted");
}

HeadPattern attentionMap(std::shared_ptr<const Run> run, LayerHead head) {
    return {PatternMap::Attention, std::make_shared<PatternCells>(std::move(run), head)};
}

HeadPattern valueWeightedMap(std::shared_ptr<const Run> run, std::shared_ptr<const Tensor> norms,
                             LayerHead head) {
    return {PatternMap::ValueWeighted,
            std::make_shared<ValueWeightedCells>(std::move(run), std::move(norms), head)};
}

QString patternTitle(LayerHead head, const HeadScores* scores, const Thresholds& thresholds,
                     const HeadMask& mask, PatternMap map) {
    QString title = headName(head);
    if (map == PatternMap::ValueWeighted)
        title += QStringLiteral(" · ") + PatternText::tr("value-weighted");
    if (mask.isAblated(head))
        title += QStringLiteral(" · ") +
                 PatternText::tr("ablated (%1)").arg(ablationName(mask.heads().at(head)));
    if (scores)
        title += QStringLiteral(" · ") + labelText(*scores, head, thresholds);
    return title;
}

HeatmapContent patternContent(const RunResult& result, const HeadPattern& pattern,
                              const QString& title) {
    const bool weighted = pattern.map == PatternMap::ValueWeighted;
    HeatmapContent content;
    content.cells = pattern.cells;
    content.row_labels = result.shown_pieces;
    content.column_labels = content.row_labels;
    content.title = title;
    content.row_axis = PatternText::tr("query");
    content.column_axis = PatternText::tr("key");
    content.value_name =
        weighted ? PatternText::tr("value-weighted attention") : PatternText::tr("attention");
    content.note = figureNote(result);
    if (weighted)
        content.note += QStringLiteral(" · ") +
                        PatternText::tr("A[q, k]·‖v_k W_O‖, each row divided by its sum");
    return content;
}

QString cellText(const RunResult& result, const HeadPattern& pattern, std::size_t query,
                 std::size_t key) {
    const QString pair = PatternText::tr("query ‹%1› %2 → key ‹%3› %4")
                             .arg(pieceAt(result, query), QString::number(query),
                                  pieceAt(result, key), QString::number(key));
    const Tensor row = visibleRow(*pattern.cells, query);
    const float weight = row(0, key);
    if (std::isnan(weight))
        return pair + QStringLiteral(" · ") +
               (key > query ? PatternText::tr("masked: a causal model cannot look ahead")
                            : PatternText::tr("masked: outside this layer's window"));
    const auto [rank, visible] = rankInRow(row.values(), weight);
    return pair + QStringLiteral(" · ") +
           (pattern.map == PatternMap::ValueWeighted
                ? PatternText::tr("value-weighted %1 · rank %2 of %3")
                : PatternText::tr("weight %1 · rank %2 of %3"))
               .arg(QString::number(static_cast<double>(weight), 'f', 3))
               .arg(rank)
               .arg(visible);
}

QString rowText(const RunResult& result, const HeadPattern& pattern, std::size_t query) {
    constexpr std::size_t kMost = 4;
    const Tensor row = visibleRow(*pattern.cells, query);
    std::vector<std::pair<float, std::size_t>> weights; // largest first, ties by position
    for (std::size_t k = 0; k < row.size(); ++k)
        if (!std::isnan(row(0, k)))
            weights.emplace_back(-row(0, k), k);
    std::sort(weights.begin(), weights.end());
    QStringList parts;
    for (std::size_t i = 0; i < std::min(kMost, weights.size()); ++i)
        parts << QStringLiteral("‹%1› %2 %3")
                     .arg(pieceAt(result, weights[i].second), QString::number(weights[i].second),
                          QString::number(static_cast<double>(-weights[i].first), 'f', 3));
    return (pattern.map == PatternMap::ValueWeighted
                ? PatternText::tr("query ‹%1› %2 takes from %3")
                : PatternText::tr("query ‹%1› %2 looks at %3"))
        .arg(pieceAt(result, query), QString::number(query), parts.join(QStringLiteral(" · ")));
}

} // namespace headscope::ui

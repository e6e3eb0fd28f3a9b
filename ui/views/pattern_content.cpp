#include "ui/views/pattern_content.h"

#include "core/engine/attention.h"
#include "ui/models/head_text.h"
#include "ui/views/prompt_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

constexpr float kHidden = std::numeric_limits<float>::quiet_NaN();

struct PatternText {
    Q_DECLARE_TR_FUNCTIONS(PatternText)
};

/// Model, BOS and heads that are off: what a figure needs to be understood later.
QString figureNote(const RunResult& result) {
    const Model& model = *result.full->model;
    QString note =
        toQString(model.name) + QStringLiteral(" · ") +
        (result.prompt.has_bos ? PatternText::tr("with BOS") : PatternText::tr("without BOS"));
    if (!result.mask.empty())
        note +=
            QStringLiteral(" · ") + PatternText::tr("off: %1").arg(toQString(result.mask.text()));
    return note;
}

/// Place of the weight among those of its row that can be seen, 1 for the largest, and how many.
std::pair<std::size_t, std::size_t> rankInRow(const Tensor& values, std::size_t query,
                                              std::size_t key) {
    std::size_t larger = 0;
    std::size_t visible = 0;
    for (std::size_t k = 0; k < values.dim(1); ++k) {
        if (std::isnan(values(query, k)))
            continue;
        ++visible;
        if (values(query, k) > values(query, key))
            ++larger;
    }
    return {larger + 1, visible};
}

} // namespace

std::shared_ptr<const Tensor> visiblePattern(const Run& run, LayerHead head) {
    auto values = std::make_shared<Tensor>(run.pattern(head));
    const ScoreRule rule = scoreRule(run.model->spec, head);
    const std::size_t positions = values->dim(0);
    for (std::size_t q = 0; q < positions; ++q) {
        const PositionRange visible = rule.visibleKeys(q, positions);
        float* const row = &(*values)(q, 0);
        std::fill(row, row + visible.begin, kHidden);
        std::fill(row + visible.end, row + positions, kHidden);
    }
    return values;
}

QString patternTitle(LayerHead head, const HeadScores* scores, const Thresholds& thresholds,
                     const HeadMask& mask) {
    QString title = headName(head);
    if (mask.isOff(head))
        title += QStringLiteral(" · ") +
                 PatternText::tr("off (%1)").arg(ablationName(mask.heads().at(head)));
    if (scores)
        title += QStringLiteral(" · ") + labelText(*scores, head, thresholds);
    return title;
}

HeatmapContent patternContent(const RunResult& result, std::shared_ptr<const Tensor> values,
                              const QString& title) {
    HeatmapContent content;
    content.values = std::move(values);
    content.row_labels = shownPieces(result.prompt);
    content.column_labels = content.row_labels;
    content.title = title;
    content.row_axis = PatternText::tr("query");
    content.column_axis = PatternText::tr("key");
    content.value_name = PatternText::tr("attention");
    content.note = figureNote(result);
    return content;
}

QString cellText(const RunResult& result, const Tensor& values, std::size_t query,
                 std::size_t key) {
    const auto piece = [&](std::size_t p) { return shownPiece(result.prompt.pieces[p]); };
    const QString pair =
        PatternText::tr("query ‹%1› %2 → key ‹%3› %4")
            .arg(piece(query), QString::number(query), piece(key), QString::number(key));
    const float weight = values(query, key);
    if (std::isnan(weight))
        return pair + QStringLiteral(" · ") +
               (key > query ? PatternText::tr("masked: a causal model cannot look ahead")
                            : PatternText::tr("masked: outside this layer's window"));
    const auto [rank, visible] = rankInRow(values, query, key);
    return pair + QStringLiteral(" · ") +
           PatternText::tr("weight %1 · rank %2 of %3")
               .arg(QString::number(static_cast<double>(weight), 'f', 3))
               .arg(rank)
               .arg(visible);
}

QString rowText(const RunResult& result, const Tensor& values, std::size_t query) {
    constexpr std::size_t kMost = 4;
    std::vector<std::pair<float, std::size_t>> weights; // largest first, ties by position
    for (std::size_t k = 0; k < values.dim(1); ++k)
        if (!std::isnan(values(query, k)))
            weights.emplace_back(-values(query, k), k);
    std::sort(weights.begin(), weights.end());
    QStringList parts;
    for (std::size_t i = 0; i < std::min(kMost, weights.size()); ++i)
        parts << QStringLiteral("‹%1› %2 %3")
                     .arg(shownPiece(result.prompt.pieces[weights[i].second]),
                          QString::number(weights[i].second),
                          QString::number(static_cast<double>(-weights[i].first), 'f', 3));
    return PatternText::tr("query ‹%1› %2 looks at %3")
        .arg(shownPiece(result.prompt.pieces[query]), QString::number(query),
             parts.join(QStringLiteral(" · ")));
}

} // namespace headscope::ui

#include "ui/document/circuit_reading.h"

#include "ui/tables/head_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace headscope::ui {
namespace {

struct Circuits {
    Q_DECLARE_TR_FUNCTIONS(Circuits)
};

constexpr int kScoreDecimals = 4;

} // namespace

std::shared_ptr<const CircuitReading>
readCircuits(const std::shared_ptr<const Model>& model, std::optional<Offset> offset,
             const CircuitReading* known, const Progress& progress, const std::stop_token& stop) {
    const auto weights =
        known ? known->weights : std::make_shared<const FoldedWeights>(foldWeights(model));
    auto composition =
        compositionScores(*weights, offset, partOf(progress, 0.0, known ? 1.0 : 0.5), stop);
    auto copying =
        known ? known->copying : copyingScores(*weights, partOf(progress, 0.5, 1.0), stop);
    return std::make_shared<const CircuitReading>(
        CircuitReading{weights, std::move(composition), std::move(copying)});
}

QString circuitNote(const CircuitReading& reading) {
    QString note = toQString(reading.weights->note);
    if (reading.composition && reading.composition->offset)
        note += QLatin1Char(' ') +
                Circuits::tr("Rotary positions: queries and keys of Q- and K-composition at offset "
                             "%1.")
                    .arg(*reading.composition->offset);
    return note;
}

QString compositionName(CompositionKind kind) {
    return Circuits::tr("%1-composition").arg(toQString(compositionKindName(kind)));
}

Tensor scoresAboveRandom(const CompositionScores& scores, CompositionKind kind) {
    Tensor above = scores.scores[static_cast<std::size_t>(kind)];
    for (float& value : above.values())
        value -= static_cast<float>(scores.baseline);
    return above;
}

QString edgeText(const CompositionScores& scores, CompositionKind kind, LayerHead from,
                 LayerHead to) {
    const QString pair = QStringLiteral("%1 → %2 · ").arg(headName(from), headName(to));
    if (from.layer >= to.layer)
        return pair + Circuits::tr("only heads of later layers read what a head writes");
    return pair + Circuits::tr("%1 %2, %3 above the baseline")
                      .arg(compositionName(kind),
                           numberText(scores.at(kind, from, to), kScoreDecimals),
                           numberText(scores.aboveBaseline(kind, from, to), kScoreDecimals));
}

QList<NumberTable::Column> edgeColumns() {
    return {{Circuits::tr("From"), Circuits::tr("The head that writes"), 0, 0.0},
            {Circuits::tr("To"), Circuits::tr("The later head that reads it"), 0, 0.0},
            {Circuits::tr("Score"),
             Circuits::tr("‖W_A W_B‖ / (‖W_A‖ ‖W_B‖), Frobenius norms (Elhage et al. 2021)"),
             kScoreDecimals, 0.0},
            {Circuits::tr("Above baseline"),
             Circuits::tr("The score minus the baseline, which is what random matrices score"),
             kScoreDecimals, 0.0}};
}

NumberTable::Row edgeRow(const CompositionEdge& edge) {
    return {headName(edge.from), headName(edge.to), edge.score, edge.above_baseline};
}

QList<NumberTable::Column> copyingColumns() {
    return {{Circuits::tr("Head"), QString(), 0, 0.0},
            {Circuits::tr("Σ Re λ / Σ |λ|"),
             Circuits::tr("Copying score by the eigenvalues λ of W_E W_V W_O W_U, −1 to 1: 1 when "
                          "attending to a token raises that token (Elhage et al. 2021)"),
             3, 1.0}};
}

NumberTable::Row copyingRow(const HeadCopying& copying) {
    return {headName(copying.head), copying.score};
}

std::vector<HeadCopying> strongestCopying(std::vector<HeadCopying> heads) {
    std::ranges::stable_sort(heads, std::greater(), [](const HeadCopying& head) {
        return std::isnan(head.score) ? -2.0 : head.score;
    });
    return heads;
}

} // namespace headscope::ui

#pragma once

#include "core/model/model.h"
#include "core/pruning/pruning_curve.h"

#include <QString>

#include <span>

namespace headscope::ui {

/// What is drawn against the heads removed.
enum class CurveMeasure {
    Loss,
    Perplexity,
    Divergence,
    Agreement,      ///< of the top token with the whole network's
    IndirectObject, ///< right choices
    SubjectVerb,    ///< likewise
};

double measureOf(const PruningResult& result, const CurvePoint& point, CurveMeasure measure);

/// Whether a result has it: the tasks are measured where the whole network does them.
bool hasMeasure(const PruningResult& result, CurveMeasure measure);
/// "loss, nats per token"
QString measureName(CurveMeasure measure);
/// "3.214 nats"
QString measureText(double value, CurveMeasure measure);

/// The orders as they are offered, those that cost least first.
std::span<const OrderKind> offeredOrders();
/// "norm of its output, by layer": what an order goes by, in a few words.
QString orderBrief(OrderKind kind);
/// A sentence or two, with the source.
QString orderTip(OrderKind kind);

/// "L0 H3 H5 · L2 H1".
QString headsText(const HeadSet& heads);

/// "4,096 tokens of 12 documents in 33 passages"
QString passagesText(const PassageSet& text);

/// "gradient: 12 of 48 heads removed (25 %)\nLoss 3.214 nats (whole model 3.102; 95 % of the
/// difference +0.081 to +0.142)"
QString pointText(const PruningResult& result, const PruningCurve& curve, const CurvePoint& point,
                  CurveMeasure measure);

} // namespace headscope::ui

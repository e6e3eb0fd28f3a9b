#include "ui/document/pruning_reading.h"

#include "core/base/text.h"
#include "core/pruning/verdict.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace headscope::ui {
namespace {

struct PruningReading {
    Q_DECLARE_TR_FUNCTIONS(PruningReading)
};

QString countText(std::size_t count, const QString& one, const QString& many) {
    return groupedText(count) + QLatin1Char(' ') + (count == 1 ? one : many);
}

QString signedNumber(double value) {
    return (value < 0.0 ? QString() : QStringLiteral("+")) + numberText(value, 3);
}

QString capitalised(QString text) {
    text[0] = text[0].toUpper();
    return text;
}

/// The task whose right choices a measure is.
std::optional<ChoiceTaskKind> taskOf(CurveMeasure measure) {
    if (measure == CurveMeasure::IndirectObject)
        return ChoiceTaskKind::IndirectObject;
    if (measure == CurveMeasure::SubjectVerb)
        return ChoiceTaskKind::Agreement;
    return std::nullopt;
}

} // namespace

bool hasMeasure(const PruningResult& result, CurveMeasure measure) {
    const auto task = taskOf(measure);
    return !task || result.whole.choice(*task) != nullptr;
}

double measureOf(const PruningResult& result, const CurvePoint& point, CurveMeasure measure) {
    if (const auto task = taskOf(measure))
        return point.choice(*task)->right;
    const MeanReading mean = meanOf(result, point.sums);
    switch (measure) {
    case CurveMeasure::Loss:
        return mean.loss;
    case CurveMeasure::Perplexity:
        return std::exp(mean.loss);
    case CurveMeasure::Divergence:
        return mean.divergence;
    default:
        break;
    }
    return mean.agreement;
}

QString measureName(CurveMeasure measure) {
    switch (measure) {
    case CurveMeasure::Loss:
        return PruningReading::tr("loss, nats per token");
    case CurveMeasure::Perplexity:
        return PruningReading::tr("perplexity");
    case CurveMeasure::Divergence:
        return PruningReading::tr("KL from the whole model, nats");
    case CurveMeasure::IndirectObject:
        return PruningReading::tr("indirect objects that are right (baseline: 0.5)");
    case CurveMeasure::SubjectVerb:
        return PruningReading::tr("verbs that agree with their subject (baseline: 0.5)");
    case CurveMeasure::Agreement:
        break;
    }
    return PruningReading::tr("top-1 agreement with the whole model");
}

QString measureText(double value, CurveMeasure measure) {
    switch (measure) {
    case CurveMeasure::Loss:
        return PruningReading::tr("loss %1 nats").arg(numberText(value, 3));
    case CurveMeasure::Perplexity:
        return PruningReading::tr("perplexity %1").arg(numberText(value, 2));
    case CurveMeasure::Divergence:
        return PruningReading::tr("KL %1 nats").arg(numberText(value, 4));
    case CurveMeasure::IndirectObject:
        return PruningReading::tr("indirect object right for %1").arg(percentText(value));
    case CurveMeasure::SubjectVerb:
        return PruningReading::tr("verb agrees for %1").arg(percentText(value));
    case CurveMeasure::Agreement:
        break;
    }
    return PruningReading::tr("same top token for %1").arg(percentText(value));
}

std::span<const OrderKind> offeredOrders() {
    static constexpr std::array kOffered{
        OrderKind::WeightNorm, OrderKind::OutputNorm,      OrderKind::Fluctuation,
        OrderKind::Wanda,      OrderKind::Reconstruction,  OrderKind::Redundancy,
        OrderKind::Gradient,   OrderKind::GradientByLayer, OrderKind::Taylor,
        OrderKind::HeadType,   OrderKind::Ablation,        OrderKind::GreedyGradient,
        OrderKind::Greedy,     OrderKind::OwnList,         OrderKind::Random};
    return kOffered;
}

QString orderBrief(OrderKind kind) {
    switch (kind) {
    case OrderKind::Random:
        return PruningReading::tr("random; others must beat it");
    case OrderKind::Ablation:
        return PruningReading::tr("loss with each head ablated");
    case OrderKind::Gradient:
        return PruningReading::tr("gradient of the loss at its gate");
    case OrderKind::GradientByLayer:
        return PruningReading::tr("gradient, scaled by layer");
    case OrderKind::Taylor:
        return PruningReading::tr("estimated change of prediction");
    case OrderKind::WeightNorm:
        return PruningReading::tr("norm of W_V W_O");
    case OrderKind::OutputNorm:
        return PruningReading::tr("norm of its output, by layer");
    case OrderKind::Fluctuation:
        return PruningReading::tr("how much its output varies");
    case OrderKind::Wanda:
        return PruningReading::tr("weights times activations");
    case OrderKind::Reconstruction:
        return PruningReading::tr("what others cannot reproduce");
    case OrderKind::Redundancy:
        return PruningReading::tr("the weaker of two similar heads");
    case OrderKind::HeadType:
        return PruningReading::tr("heads that write nothing first, then those without a type");
    case OrderKind::OwnList:
        return PruningReading::tr("heads in the order of a file");
    case OrderKind::Greedy:
        return PruningReading::tr("loss, updated after each cut");
    case OrderKind::GreedyGradient:
        break;
    }
    return PruningReading::tr("gradient, updated after each cut");
}

QString orderTip(OrderKind kind) {
    switch (kind) {
    case OrderKind::Random:
        return PruningReading::tr(
            "Several random orders, one for each seed, shown as a band from the lowest to the "
            "highest. An order that is not better than these has found nothing.");
    case OrderKind::Ablation:
        return PruningReading::tr("Loss on the calibration text with the head ablated, minus the "
                                  "loss of the whole model: exact, one run for each head.");
    case OrderKind::Gradient:
        return PruningReading::tr("Mean |∂ loss / ∂ gate| of a gate on each head (Michel et al. "
                                  "2019).");
    case OrderKind::GradientByLayer:
        return PruningReading::tr("The gradient divided by the norm of all gradients of the layer "
                                  "(Molchanov et al. 2017), so that layers can be compared.");
    case OrderKind::Taylor:
        return PruningReading::tr(
            "KL from the whole model, to second order in the gate; needs no labels.");
    case OrderKind::WeightNorm:
        return PruningReading::tr("Frobenius norm of W_V W_O: from the weights alone, no text.");
    case OrderKind::OutputNorm:
        return PruningReading::tr("Mean norm of what the head writes, divided by the mean of its "
                                  "layer (AHON, arXiv 2504.03889).");
    case OrderKind::Fluctuation:
        return PruningReading::tr("Variance of z times the squared norm of W_O, divided by that of "
                                  "its layer (FLAP; An et al. 2024).");
    case OrderKind::Wanda:
        return PruningReading::tr(
            "Sum of |W_O| times the norm of z, divided by that of its layer (Sun et al. 2024).");
    case OrderKind::Reconstruction:
        return PruningReading::tr("The part of its output that the other heads of the layer cannot "
                                  "reproduce by least squares.");
    case OrderKind::Redundancy:
        return PruningReading::tr("Of the two most similar heads of a layer (CKA of z), the one "
                                  "that adds less goes first.");
    case OrderKind::HeadType:
        return PruningReading::tr("Heads without a type go first, then those whose type is weak.");
    case OrderKind::OwnList:
        return PruningReading::tr("A text file with heads such as 4.1, in the order in which they "
                                  "go.");
    case OrderKind::Greedy:
        return PruningReading::tr("As ablation, but all remaining heads are scored again after "
                                  "every cut: exact and slow.");
    case OrderKind::GreedyGradient:
        break;
    }
    return PruningReading::tr(
        "As gradient, but all remaining heads are scored again after every cut.");
}

QString headsText(const HeadSet& heads) {
    std::map<std::size_t, std::vector<std::size_t>> by_layer;
    for (const LayerHead head : heads)
        by_layer[head.layer].push_back(head.head);
    QStringList layers;
    for (auto& [layer, numbers] : by_layer) {
        std::ranges::sort(numbers);
        QString text = QStringLiteral("L%1").arg(layer);
        for (const std::size_t number : numbers)
            text += QStringLiteral(" H%1").arg(number);
        layers << text;
    }
    return layers.join(QStringLiteral(" · "));
}

QString passagesText(const PassageSet& text) {
    return PruningReading::tr("%1 of %2 in %3")
        .arg(countText(text.tokens, PruningReading::tr("token"), PruningReading::tr("tokens")),
             countText(text.documents, PruningReading::tr("document"),
                       PruningReading::tr("documents")),
             countText(text.passages.size(), PruningReading::tr("passage"),
                       PruningReading::tr("passages")));
}

QString pointText(const PruningResult& result, const PruningCurve& curve, const CurvePoint& point,
                  CurveMeasure measure) {
    const double value = measureOf(result, point, measure);
    QString text =
        PruningReading::tr("%1: %2 of %3 heads removed (%4)\n%5")
            .arg(toQString(curve.order.spec.name()))
            .arg(point.heads)
            .arg(result.heads)
            .arg(percentText(result.share(point)), capitalised(measureText(value, measure)));
    if (measure != CurveMeasure::Loss)
        return text;
    const Interval more = lossIncrease(result, point.sums);
    return text + PruningReading::tr("; %1 more than the whole model, 95 % %2 to %3")
                      .arg(signedNumber(value - meanOf(result, result.whole.sums).loss),
                           signedNumber(more.low), signedNumber(more.high));
}

} // namespace headscope::ui

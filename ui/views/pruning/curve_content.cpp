#include "ui/views/pruning/curve_content.h"

#include "core/pruning/verdict.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <vector>

namespace headscope::ui {
namespace {

struct CurveText {
    Q_DECLARE_TR_FUNCTIONS(CurveText)
};

bool isRandom(const PruningCurve& curve) {
    return curve.order.spec.kind == OrderKind::Random;
}

/// An order has the same looks whichever others are there.
int styleOf(OrderKind kind) {
    // The seven that are used most come first, since only they have a colour alone.
    static constexpr OrderKind kByStyle[] = {
        OrderKind::Gradient,       OrderKind::OutputNorm,  OrderKind::Ablation,
        OrderKind::Taylor,         OrderKind::Fluctuation, OrderKind::WeightNorm,
        OrderKind::Greedy,         OrderKind::Wanda,       OrderKind::Reconstruction,
        OrderKind::Redundancy,     OrderKind::HeadType,    OrderKind::GradientByLayer,
        OrderKind::GreedyGradient, OrderKind::OwnList};
    return static_cast<int>(std::ranges::find(kByStyle, kind) - std::begin(kByStyle));
}

/// The curves that are lines, in the order of the result.
std::vector<const PruningCurve*> lineCurves(const PruningResult& result) {
    std::vector<const PruningCurve*> curves;
    for (const PruningCurve& curve : result.curves)
        if (!isRandom(curve))
            curves.push_back(&curve);
    return curves;
}

CurvePlotLine lineOf(const PruningResult& result, const PruningCurve& curve, CurveMeasure measure) {
    CurvePlotLine line{toQString(curve.order.spec.name()), styleOf(curve.order.spec.kind), {}};
    for (const CurvePoint& point : curve.points)
        line.points.append({static_cast<double>(point.heads), measureOf(result, point, measure),
                            pointText(result, curve, point, measure)});
    return line;
}

CurvePlotBand bandOf(const PruningResult& result, CurveMeasure measure) {
    std::map<std::size_t, std::vector<double>> by_heads;
    std::size_t orders = 0;
    for (const PruningCurve& curve : result.curves) {
        orders += isRandom(curve) ? 1 : 0;
        if (isRandom(curve))
            for (const CurvePoint& point : curve.points)
                by_heads[point.heads].push_back(measureOf(result, point, measure));
    }
    CurvePlotBand band;
    band.name = orders == 1 ? CurveText::tr("1 random order")
                            : CurveText::tr("%1 random orders").arg(orders);
    for (const auto& [heads, values] : by_heads) {
        double sum = 0.0;
        for (const double value : values)
            sum += value;
        band.x.append(static_cast<double>(heads));
        band.low.append(std::ranges::min(values));
        band.high.append(std::ranges::max(values));
        band.middle.append(sum / static_cast<double>(values.size()));
    }
    return band;
}

} // namespace

CurvePlotContent curveContent(const PruningResult& result, CurveMeasure measure, double tolerance) {
    CurvePlotContent content;
    for (const PruningCurve* curve : lineCurves(result))
        content.lines.append(lineOf(result, *curve, measure));
    content.band = bandOf(result, measure);
    content.level = measureOf(result, result.whole, measure);
    content.level_name = CurveText::tr("whole model");
    if (measure == CurveMeasure::Loss) {
        content.limit = (1.0 + tolerance) * *content.level;
        content.limit_name = CurveText::tr("%1 more loss").arg(percentText(tolerance));
    }
    content.x_name = CurveText::tr("heads removed, of %1").arg(result.heads);
    content.y_name = measureName(measure);
    content.x_most = static_cast<double>(result.heads);
    return content;
}

std::optional<CurvePlotPlace> placeOnPlot(const PruningResult& result, const ChosenPoint& point) {
    const auto curves = lineCurves(result);
    for (std::size_t line = 0; line < curves.size(); ++line) {
        const auto& points = curves[line]->points;
        const auto found = std::ranges::find(points, point.units, &CurvePoint::units);
        if (curves[line]->order.spec == point.order && found != points.end())
            return CurvePlotPlace{static_cast<int>(line), static_cast<int>(found - points.begin())};
    }
    return std::nullopt;
}

ChosenPoint pointOnPlot(const PruningResult& result, CurvePlotPlace place) {
    const PruningCurve& curve = *lineCurves(result)[static_cast<std::size_t>(place.line)];
    return {curve.order.spec, curve.points[static_cast<std::size_t>(place.point)].units};
}

} // namespace headscope::ui

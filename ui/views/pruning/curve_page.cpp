#include "ui/views/pruning/curve_page.h"

#include "core/pruning/verdict.h"
#include "ui/document/document.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QVBoxLayout>

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
        if (!isRandom(curve))
            continue;
        // What narrows one order down is no cut of the others.
        const std::vector<std::size_t> shared = curveCuts(result, curve.order);
        for (const CurvePoint& point : curve.points)
            if (std::ranges::binary_search(shared, point.units))
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

namespace {

constexpr QSize kCurveFigure{760, 480};
constexpr double kFirstTolerance = 1.0; ///< percent
constexpr double kMostTolerance = 1000.0;
constexpr double kVerdictScale = 1.15;

void giveRoom(QLabel* label, int lines) {
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label->setMinimumHeight(lines * label->fontMetrics().lineSpacing());
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
}

/// What replaces a head in the document, which knows no text but its prompt.
AblationKind ablationFor(Replacement replacement) {
    return replacement == Replacement::Mean ? AblationKind::Mean : AblationKind::Zero;
}

} // namespace

CurvePage::CurvePage(Document& document, PruningBench& bench, QWidget* parent)
    : QWidget(parent), document_(document), bench_(bench) {
    makeControls();
    layOut();
    connect(text_, &QComboBox::currentIndexChanged, this,
            [this](int text) { bench_.show(static_cast<std::size_t>(text)); });
    connect(measure_, &QComboBox::currentIndexChanged, this, &CurvePage::showResult);
    connect(tolerance_, &QDoubleSpinBox::valueChanged, this,
            [this](double percent) { bench_.setTolerance(percent / 100.0); });
    connect(plot_, &CurvePlot::hoverChanged, this, &CurvePage::showPoint);
    connect(plot_, &CurvePlot::chosen, this,
            [this](CurvePlotPlace place) { bench_.choose(pointOnPlot(*bench_.result(), place)); });
    connect(plot_, &CurvePlot::taken, this, &CurvePage::take);
    connect(plot_, &CurvePlot::dragCancelled, this, &CurvePage::cancelDrag);
    connect(&bench_, &PruningBench::resultChanged, this, &CurvePage::showResult);
    connect(&bench_, &PruningBench::chosenChanged, this, &CurvePage::showChosen);
    connect(&bench_, &PruningBench::textsChanged, this, &CurvePage::showResult);
    showResult();
}

void CurvePage::makeControls() {
    verdict_ = new TextLabel(this);
    verdict_->setObjectName(QStringLiteral("pruneVerdict"));
    QFont font = verdict_->font();
    font.setPointSizeF(kVerdictScale * font.pointSizeF());
    verdict_->setFont(font);
    giveRoom(verdict_, 3);
    text_ = new QComboBox(this);
    text_->setObjectName(QStringLiteral("curveText"));
    text_->setToolTip(tr("The text whose curves are drawn and whose heads are cut"));
    measure_ = new QComboBox(this);
    measure_->setObjectName(QStringLiteral("curveMeasure"));
    measure_->setToolTip(tr("What is drawn against the number of heads removed"));
    measure_->addItems({tr("Loss"), tr("Perplexity"), tr("KL from the whole model"),
                        tr("Top-1 agreement"), tr("Indirect object"), tr("Subject and verb")});
    tolerance_ = new QDoubleSpinBox(this);
    tolerance_->setObjectName(QStringLiteral("pruneTolerance"));
    tolerance_->setToolTip(tr("How much more loss the verdict allows"));
    tolerance_->setRange(0.0, kMostTolerance);
    tolerance_->setDecimals(1);
    tolerance_->setSingleStep(0.5);
    tolerance_->setSuffix(tr(" % more loss"));
    tolerance_->setValue(kFirstTolerance);
    plot_ = new CurvePlot(this);
    plot_->setObjectName(QStringLiteral("pruneCurve"));
    plot_->setAccessibleName(tr("Curves of all orders"));
    plot_->setToolTip(QString());
    point_ = new TextLabel(this);
    point_->setObjectName(QStringLiteral("prunePoint"));
    giveRoom(point_, 3);
}

void CurvePage::layOut() {
    auto* row = new QHBoxLayout;
    addField(row, tr("Te&xt shown"), text_);
    addField(row, tr("Sho&w"), measure_);
    addField(row, tr("Tolera&nce of the verdict"), tolerance_);
    row->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(verdict_);
    layout->addLayout(row);
    layout->addWidget(plot_, 1);
    layout->addWidget(point_);
}

CurveMeasure CurvePage::measure() const {
    return static_cast<CurveMeasure>(measure_->currentIndex());
}

void CurvePage::offerMeasures(const PruningResult& result) {
    const QSignalBlocker quiet(measure_);
    auto* const items = qobject_cast<QStandardItemModel*>(measure_->model());
    for (int i = 0; i < measure_->count(); ++i) {
        const bool has = hasMeasure(result, static_cast<CurveMeasure>(i));
        items->item(i)->setEnabled(has);
        items->item(i)->setToolTip(
            asTip(has ? QString()
                      : tr("The whole model does not do this task, so nothing can be lost.")));
    }
    if (!hasMeasure(result, measure()))
        measure_->setCurrentIndex(0);
}

void CurvePage::offerTexts() {
    const QSignalBlocker quiet(text_);
    text_->clear();
    if (const auto texts = bench_.allMeasuredTexts())
        for (const PruningDomain& domain : texts->domains)
            text_->addItem(toQString(domain.name));
    text_->setEnabled(text_->count() > 1);
    text_->setCurrentIndex(static_cast<int>(bench_.shown()));
}

double CurvePage::tolerancePercent() const {
    return tolerance_->value();
}

QString CurvePage::emptyText() const {
    if (!bench_.model())
        return tr("Open a model to prune it.");
    if (!bench_.textsError().isEmpty())
        return bench_.textsError();
    switch (bench_.state()) {
    case PruningBench::State::Measuring:
        return tr("Measuring the whole model …");
    case PruningBench::State::Failed:
        return bench_.error();
    case PruningBench::State::Stopped:
        return tr("Stopped before the first point; “Measure” goes on.");
    default:
        return tr("“Measure” ranks the heads on the calibration text, removes them in each order, "
                  "and draws here what that costs on the test text.");
    }
}

QString CurvePage::verdictSentence() const {
    if (bench_.verdict())
        return toQString(verdictText(*bench_.verdict()));
    if (bench_.state() == PruningBench::State::Measuring)
        return tr("The verdict appears when the curves are complete.");
    return bench_.result() ? tr("No curve is complete yet, so there is no verdict.")
                           : tr("How many heads can go?");
}

void CurvePage::showResult() {
    const auto result = bench_.result();
    offerTexts();
    plot_->setEmptyText(emptyText());
    CurvePlotContent content;
    if (result) {
        offerMeasures(*result);
        content = curveContent(*result, measure(), bench_.tolerance());
    }
    if (result && bench_.measuredTexts()) {
        content.title =
            tr("%1: heads removed, judged on %2")
                .arg(toQString(result->model_name), toQString(bench_.measuredTexts()->test.name));
        content.note = bench_.verdict() ? toQString(verdictText(*bench_.verdict())) : QString();
    }
    plot_->setContent(std::move(content));
    verdict_->setText(verdictSentence());
    showChosen();
}

void CurvePage::showChosen() {
    const auto result = bench_.result();
    const auto point = bench_.chosen();
    plot_->setChosen(result && point ? placeOnPlot(*result, *point) : std::nullopt);
    showPoint();
}

void CurvePage::showPoint() {
    const auto place = plot_->hoveredPlace() ? plot_->hoveredPlace() : plot_->chosenPlace();
    const auto result = bench_.result();
    if (!place || !result) {
        const bool lines = result && !plot_->content().lines.isEmpty();
        return point_->setText(lines ? tr("Point at a curve to read it; a click or a drag along it "
                                          "ablates its heads in the grid.")
                                     : QString());
    }
    const ChosenPoint point = pointOnPlot(*result, *place);
    for (const PruningCurve& curve : result->curves)
        if (curve.order.spec == point.order)
            point_->setText(plot_->content().lines[place->line].points[place->point].text +
                            QLatin1Char('\n') +
                            headsText(PruningResult::removedAt(curve, point.units)));
}

void CurvePage::take(CurvePlotPlace place, bool first) {
    if (first) {
        ++gesture_;
        before_ = document_.ablation().mask();
        kind_before_ = document_.ablation().kind();
    }
    bench_.choose(pointOnPlot(*bench_.result(), place));
    apply();
}

void CurvePage::apply() {
    const HeadSet heads = bench_.removed();
    if (heads.empty())
        return;
    const AblationKind kind = ablationFor(bench_.result()->question.replacement);
    const QString order = toQString(bench_.chosenCurve()->order.spec.name());
    document_.ablation().ablateOnly(
        heads, kind, tr("ablate %1 heads by %2").arg(heads.size()).arg(order), gesture_);
    emit applied(tr("%1 heads are ablated by %2 in the grid; Ctrl+Z takes it back.")
                     .arg(heads.size())
                     .arg(ablationName(kind)));
}

void CurvePage::cancelDrag() {
    HeadSet heads;
    for (const auto& [head, kind] : before_.heads())
        heads.push_back(head);
    document_.ablation().ablateOnly(heads, kind_before_, QString(), gesture_);
    emit applied(tr("The grid is as it was before the drag."));
}

Result<void> CurvePage::saveFigure(const QString& path) const {
    return plot_->saveFigure(path, kCurveFigure);
}

} // namespace headscope::ui

#pragma once

#include "core/engine/head_mask.h"
#include "ui/document/pruning_bench.h"
#include "ui/document/pruning_reading.h"
#include "ui/widgets/curve_plot.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QDoubleSpinBox;
class QLabel;

namespace headscope::ui {

/// What a curve plot shows of a result that may still grow: a line for each order but the random
/// ones, which are a band. `tolerance` is drawn where the loss is.
CurvePlotContent curveContent(const PruningResult& result, CurveMeasure measure, double tolerance);

/// The line and point of the content where a cut is drawn.
std::optional<CurvePlotPlace> placeOnPlot(const PruningResult& result, const ChosenPoint& point);

/// The cut that is drawn there, which must be.
ChosenPoint pointOnPlot(const PruningResult& result, CurvePlotPlace place);

class Document;

/// The curves, the verdict on them, and the point that the user looks at. Pressing and dragging on
/// a line ablates the heads of its points in the document.
class CurvePage : public QWidget {
    Q_OBJECT

public:
    CurvePage(Document& document, PruningBench& bench, QWidget* parent = nullptr);

    /// Ablates the heads of the chosen point.
    void apply();
    Result<void> saveFigure(const QString& path) const;
    double tolerancePercent() const;

signals:
    /// What was done to the document.
    void applied(const QString& message);

private:
    void makeControls();
    void layOut();
    CurveMeasure measure() const;
    /// The tasks that the whole network does, and all other measures.
    void offerMeasures(const PruningResult& result);
    /// The texts that are measured.
    void offerTexts();
    QString emptyText() const;
    QString verdictSentence() const;
    void showResult();
    void showChosen();
    void showPoint();
    void take(CurvePlotPlace place, bool first);
    void cancelDrag();

    Document& document_;
    PruningBench& bench_;
    QLabel* verdict_ = nullptr;
    QComboBox* text_ = nullptr;
    QComboBox* measure_ = nullptr;
    QDoubleSpinBox* tolerance_ = nullptr;
    CurvePlot* plot_ = nullptr;
    QLabel* point_ = nullptr;
    int gesture_ = 0; ///< counts presses, so that a drag is one step to undo
    HeadMask before_; ///< the drag
    AblationKind kind_before_ = AblationKind::Zero;
};

} // namespace headscope::ui

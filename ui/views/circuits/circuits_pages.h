#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/circuits/copying.h"
#include "ui/document/circuit_reading.h"
#include "ui/widgets/head_mosaic.h"

#include <QVector>
#include <QWidget>

#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QLayout;
class QSpinBox;

namespace headscope::ui {

class HeadGraph;
class Heatmap;
class NumberPage;

/// How strongly heads write to the queries, keys and values of later ones: as a matrix, and the
/// strongest as a graph and a list.
class CompositionPage : public QWidget {
    Q_OBJECT

public:
    explicit CompositionPage(QWidget* parent = nullptr);

    void showReading(std::shared_ptr<const CircuitReading> reading);
    /// Types and tooltips of all heads, row by row, for the graph.
    void showHeads(const QVector<MosaicCell>& heads);
    /// Why there is nothing to show.
    void showMessage(const QString& message);

    /// Query position minus key position, for rotary models.
    Offset offset() const;
    CompositionKind kind() const;
    std::size_t edges() const; ///< how many are drawn and listed
    /// The offset can be chosen up to the length of the context; 0: not at all.
    void setContext(std::size_t positions);

signals:
    void offsetChanged();
    void headChosen(LayerHead head);

private:
    void makeControls();
    QLayout* layOutControls();
    QWidget* layOutViews();
    void showKind();
    void showMatrix(const CompositionScores& scores);
    void showNodes();
    void showEdges(const CompositionScores& scores);
    void chooseEdge(int edge);
    void choosePair(LayerHead from, LayerHead to);
    QString pairText(std::size_t from, std::size_t to) const;
    LayerHead headAt(std::size_t index) const;

    std::shared_ptr<const CircuitReading> reading_;
    QVector<MosaicCell> heads_;
    std::vector<CompositionEdge> edges_; ///< strongest first
    QString chosen_;                     ///< says which pair was clicked
    QComboBox* kind_ = nullptr;
    QSpinBox* count_ = nullptr;
    QLabel* offset_label_ = nullptr;
    QSpinBox* offset_ = nullptr;
    Heatmap* matrix_ = nullptr;
    HeadGraph* graph_ = nullptr;
    NumberPage* list_ = nullptr;
    QLabel* pair_ = nullptr;
};

class ComplexPlane;
class NumberPage;

/// Which heads raise the tokens they attend to: eigenvalue scores, and the eigenvalues of one head.
class CopyingPage : public QWidget {
    Q_OBJECT

public:
    explicit CopyingPage(QWidget* parent = nullptr);

    void showCopying(const Result<std::vector<HeadCopying>>& copying);
    void showHead(LayerHead head);
    /// Why there is nothing to show.
    void showMessage(const QString& message);

signals:
    void headChosen(LayerHead head);

private:
    std::vector<HeadCopying> heads_; ///< as in the table
    LayerHead head_;
    NumberPage* table_ = nullptr;
    QLabel* name_ = nullptr;
    ComplexPlane* plane_ = nullptr;
};

} // namespace headscope::ui

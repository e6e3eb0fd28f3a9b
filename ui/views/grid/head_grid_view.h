#pragma once

#include "ui/document/document.h"
#include "ui/views/grid/head_order.h"

#include <QMap>
#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QToolButton;

namespace headscope::ui {

class GridColouring;
class HeadMosaic;

/// All heads at once, layers × heads, lettered and coloured by type, with the legend of the types
/// that some head of the model has; or coloured and sorted by one score.
class HeadGridView : public QWidget {
    Q_OBJECT

public:
    explicit HeadGridView(Document& document, QWidget* parent = nullptr);

    void focusGrid();
    GridColouring& colouring() { return *colouring_; }

signals:
    void exportRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeControls();
    void makeLegend();
    void connectDocument();
    void showHeads();
    void showLegend();
    /// The legend is one stop of the tab key; arrow keys move within it.
    void makeTabStop(const QToolButton* stop);
    void showSelection();
    void showSource();
    LayerHead headOf(int row, int column) const {
        return order_.headAt(row, column).value_or(headAt(row, column));
    }
    void openMenu(LayerHead head, QPoint global);

    Document& document_;
    QComboBox* source_ = nullptr;
    GridColouring* colouring_ = nullptr;
    QGridLayout* legend_ = nullptr;
    QMap<HeadTypeId, QToolButton*> legend_buttons_;
    QList<QToolButton*> shown_buttons_; ///< of them, in their order
    HeadMosaic* mosaic_ = nullptr;
    QLabel* note_ = nullptr;
    HeadOrder order_;
};

} // namespace headscope::ui

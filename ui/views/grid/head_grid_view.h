#pragma once

#include "ui/document/document.h"
#include "ui/views/grid/mosaic_heads.h"

#include <QWidget>

class QComboBox;

namespace headscope::ui {

class GridColouring;
class HeadMosaic;
class TypeLegend;

/// All heads at once, layers × heads, lettered and coloured by type, with the legend of the types
/// that some head of the model has; or coloured and sorted by one score.
/// The context menu of a head has the actions of this widget.
class HeadGridView : public QWidget {
    Q_OBJECT

public:
    explicit HeadGridView(Document& document, QWidget* parent = nullptr);

    void focusGrid();
    GridColouring& colouring() { return *colouring_; }

private:
    void makeControls();
    void connectDocument();
    void showHeads();
    void showSelection();
    void showSource();
    LayerHead headOf(int row, int column) const {
        return order_.headAt(row, column).value_or(headAt(row, column));
    }
    void copyTypes(LayerHead head) const;
    void openMenu(LayerHead head, QPoint global);

    Document& document_;
    QComboBox* source_ = nullptr;
    GridColouring* colouring_ = nullptr;
    HeadMosaic* mosaic_ = nullptr;
    TypeLegend* legend_ = nullptr;
    HeadOrder order_;
};

} // namespace headscope::ui

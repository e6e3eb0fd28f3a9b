#pragma once

#include "ui/models/document.h"

#include <QSet>
#include <QWidget>

class QComboBox;
class QLabel;
class QLayout;

namespace headscope::ui {

class HeadMosaic;

/// All heads at once, layers × heads, lettered and coloured by type, with the legend of types.
class HeadGridView : public QWidget {
    Q_OBJECT

public:
    explicit HeadGridView(Document& document, QWidget* parent = nullptr);

    void focusGrid();

signals:
    void exportRequested();

private:
    void makeControls();
    QLayout* makeLegend();
    void connectDocument();
    void showHeads();
    void showSelection();
    void showSource();
    void openMenu(LayerHead head, QPoint global);

    Document& document_;
    QComboBox* source_ = nullptr;
    HeadMosaic* mosaic_ = nullptr;
    QLabel* note_ = nullptr;
    QSet<DetectorId> chosen_; ///< types to show; empty: all
};

} // namespace headscope::ui

#pragma once

#include "ui/models/document.h"

#include <QMap>
#include <QSet>
#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QToolButton;

namespace headscope::ui {

class HeadMosaic;

/// All heads at once, layers × heads, lettered and coloured by type, with the legend of the types
/// that some head of the model has.
class HeadGridView : public QWidget {
    Q_OBJECT

public:
    explicit HeadGridView(Document& document, QWidget* parent = nullptr);

    void focusGrid();

signals:
    void exportRequested();

private:
    void makeControls();
    void makeLegend();
    void connectDocument();
    void showHeads();
    void showLegend();
    void showSelection();
    void showSource();
    void openMenu(LayerHead head, QPoint global);

    Document& document_;
    QComboBox* source_ = nullptr;
    QGridLayout* legend_ = nullptr;
    QMap<DetectorId, QToolButton*> legend_buttons_;
    HeadMosaic* mosaic_ = nullptr;
    QLabel* note_ = nullptr;
    QSet<DetectorId> chosen_; ///< types to show; empty: all
};

} // namespace headscope::ui

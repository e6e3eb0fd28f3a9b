#pragma once

#include "ui/document/document.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace headscope::ui {

/// Which heads are ablated, how, and what that does to the loss.
class AblationPanel : public QWidget {
    Q_OBJECT

public:
    explicit AblationPanel(Document& document, QWidget* parent = nullptr);

private:
    void makeControls();
    void layOut();
    void showMask();
    void showLoss();

    Document& document_;
    QPushButton* toggle_ = nullptr;
    QComboBox* kind_ = nullptr;
    QLabel* loss_ = nullptr;
    QListWidget* ablated_ = nullptr;
    QPushButton* clear_ = nullptr;
};

} // namespace headscope::ui

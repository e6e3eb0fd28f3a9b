#pragma once

#include "ui/document/ablation.h"
#include "ui/document/document.h"
#include "ui/widgets/tinted_frame.h"

#include <QComboBox>
#include <QWidget>

class QComboBox;
class QLabel;
class QLayout;
class QListWidget;
class QPushButton;

namespace headscope::ui {

class MarkupLabel;

/// What replaces the output of an ablated head: shows the choice and changes it.
class AblationKindBox : public QComboBox {
    Q_OBJECT

public:
    AblationKindBox(Ablation& ablation, const QString& name, QWidget* parent);

private:
    void showKind();

    Ablation& ablation_;
};

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

/// Shows, while a head is ablated, which heads are and what that changes on the prompt: loss,
/// predictions and KL divergence, before and after.
class AblationStrip : public TintedFrame {
    Q_OBJECT

public:
    explicit AblationStrip(Document& document, QWidget* parent = nullptr);

private:
    void makeControls();
    QLayout* makeFirstLine();
    void showMask();
    void showEffect();
    void showUndo();

    Document& document_;
    QLabel* count_ = nullptr;
    QComboBox* kind_ = nullptr;
    QPushButton* undo_ = nullptr;
    QPushButton* clear_ = nullptr;
    MarkupLabel* effect_ = nullptr;
};

} // namespace headscope::ui

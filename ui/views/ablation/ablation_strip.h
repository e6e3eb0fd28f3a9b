#pragma once

#include "ui/document/document.h"
#include "ui/widgets/tinted_frame.h"

class QComboBox;
class QLabel;
class QLayout;
class QPushButton;

namespace headscope::ui {

/// Which heads are ablated and what that changes on the prompt, under the prompt as long as one is:
/// loss, predictions and KL divergence, before and after.
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
    QLabel* effect_ = nullptr;
};

} // namespace headscope::ui

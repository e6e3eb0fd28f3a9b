#pragma once

#include "ui/document/document.h"
#include "ui/widgets/tinted_frame.h"

class QComboBox;
class QLayout;
class QPushButton;
class QToolButton;

namespace headscope::ui {

class Dialogs;
class JobIndicator;
class MarkupLabel;
class PromptEdit;
class PromptStrip;

/// What the prompt is compared with, B, under the prompt as long as something is: its text, heads
/// and model, its tokens and what it predicts.
class CompareBar : public TintedFrame {
    Q_OBJECT

public:
    CompareBar(Document& document, Dialogs& dialogs, QWidget* parent = nullptr);

    void focusPrompt();

signals:
    void loadFailed(const QString& message);

private:
    void makeFields();
    void makeModelButton();
    QLayout* layOutFields();
    void connectDocument();
    void showFields();
    void showTokens();
    void showLockedRow();
    void showOutcomeOfB();
    void askForModel();
    /// Whether the chips are those of the newest run of B, and not of the one before.
    bool showsTheRun() const;
    void lockRowOf(std::size_t position);
    void alignLockedWith(std::size_t position);

    Document& document_;
    Comparison& comparison_;
    Dialogs& dialogs_;
    PromptEdit* edit_ = nullptr;
    QComboBox* heads_ = nullptr;
    QToolButton* model_ = nullptr;
    QPushButton* align_ = nullptr;
    QToolButton* close_ = nullptr;
    JobIndicator* jobs_ = nullptr;
    PromptStrip* strip_ = nullptr;
    MarkupLabel* outcome_ = nullptr;
};

} // namespace headscope::ui

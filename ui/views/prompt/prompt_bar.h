#pragma once

#include "ui/document/document.h"
#include "ui/document/prompt_writer.h"

#include <QToolButton>
#include <QWidget>

class QMenu;
class QActionGroup;
class QToolButton;

namespace headscope::ui {

class CopyActions;
class MarkupLabel;

/// Lets the model write on, or stops it; its menu says how much and how. The choices are kept for
/// the next start.
class WriteButton : public QToolButton {
    Q_OBJECT

public:
    explicit WriteButton(PromptWriter& writer, QWidget* parent = nullptr);

private:
    void showState();
    void fillMenu();
    void choose(const PromptWriter::Settings& settings);
    void act();

    PromptWriter& writer_;
    QMenu* menu_ = nullptr;
    CopyActions* copies_ = nullptr;
};

class PromptEdit;
class PromptStrip;

/// The prompt: its text, its tokens, whether it starts with BOS, and what the model predicts next.
class PromptBar : public QWidget {
    Q_OBJECT

public:
    explicit PromptBar(Document& document, QWidget* parent = nullptr);

    /// Loss and predictions; its menu offers its actions.
    QWidget* outcome() const;

    void focusPrompt();
    PromptWriter& writer() { return writer_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void makeBosButton();
    void layOut();
    void showPrompt();
    void showTexts();
    QString separator() const; ///< of two texts; empty where the tokenizer has no template of them
    QString typedPrompt() const;
    void showBos();
    void showTokens();
    void showLockedRow();
    void showPredictions();
    void toggleBos();

    Document& document_;
    PromptEdit* edit_ = nullptr;
    PromptEdit* pair_ = nullptr; ///< the second of two texts
    QToolButton* bos_button_ = nullptr;
    QActionGroup* bos_modes_ = nullptr;
    PromptStrip* strip_ = nullptr;
    MarkupLabel* outcome_ = nullptr;
    PromptWriter writer_;
};

} // namespace headscope::ui

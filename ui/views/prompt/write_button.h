#pragma once

#include "ui/document/prompt_writer.h"

#include <QToolButton>

class QMenu;

namespace headscope::ui {

class CopyActions;

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

} // namespace headscope::ui

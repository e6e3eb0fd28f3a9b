#pragma once

#include "ui/widgets/tinted_frame.h"

#include <QTimer>

#include <functional>

class QLabel;
class QPushButton;

namespace headscope::ui {

/// One sentence across the window that waits for nobody: what went wrong, or what was opened.
class MessageBar : public TintedFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent = nullptr);

    /// Stays until it is closed.
    void showError(const QString& text);
    /// Goes away by itself; `action` is offered as a button.
    void showInfo(const QString& text, const QString& action_text, std::function<void()> action);
    QString text() const;

private:
    void appear(const QString& text, bool error);

    QLabel* text_ = nullptr;
    QPushButton* action_button_ = nullptr;
    std::function<void()> action_;
    QTimer away_;
};

} // namespace headscope::ui

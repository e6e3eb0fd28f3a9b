#pragma once

#include "ui/document/document.h"
#include "ui/widgets/tinted_frame.h"

#include <QTimer>

#include <functional>

class QLabel;
class QPushButton;
class QStatusBar;

namespace headscope::ui {

/// A few lines that wait for nobody: what went wrong, or what was opened. They lie over the lower
/// right corner of the parent, so that nothing moves under the pointer when they come and go.
class MessageBar : public TintedFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent);

    /// Stays until it is closed.
    void showError(const QString& text);
    /// Goes away by itself; `action` is offered as a button.
    void showInfo(const QString& text, const QString& action_text = {},
                  std::function<void()> action = {});
    /// Stays until it is closed or taken.
    void showOffer(const QString& text, const QString& action_text, std::function<void()> action);
    QString text() const;

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();
    void appear(const QString& text, bool error);

    QLabel* text_ = nullptr;
    QPushButton* action_button_ = nullptr;
    std::function<void()> action_;
    QTimer away_;
};

/// What the status bar says: the run, the model, and the work in progress.
class StatusView : public QObject {
    Q_OBJECT

public:
    StatusView(Document& document, QStatusBar* bar);

private:
    void showModel();
    void showRun();

    Document& document_;
    QLabel* run_ = nullptr;
    QLabel* model_ = nullptr;
};

} // namespace headscope::ui

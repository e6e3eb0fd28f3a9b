#pragma once

#include "ui/document/document.h"
#include "ui/widgets/tinted_frame.h"

#include <QString>
#include <QTimer>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QStatusBar;

namespace headscope::ui {

/// A few lines that wait for nobody: what went wrong, or what was opened. They cover the lower
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
    struct Choice {
        QString text;
        std::function<void()> act;
    };
    /// Stays until it is closed or one of its one or two choices is taken. Other messages go before
    /// it, and it comes back when they are gone.
    void showOffer(const QString& text, const std::vector<Choice>& choices);
    /// What is said is over; an offer stays.
    void endMessage();
    QString text() const;

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Message {
        QString text;
        std::vector<Choice> choices = {};
        bool is_error = false;
        bool is_offer = false;
    };
    void place();
    void appear(const Message& message);
    void closeMessage();
    void take(std::size_t choice);

    QLabel* text_ = nullptr;
    std::array<QPushButton*, 2> buttons_{};
    Message shown_;
    std::optional<Message> offer_; ///< that was neither closed nor taken
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

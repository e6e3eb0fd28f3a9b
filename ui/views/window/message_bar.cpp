#include "ui/views/window/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <chrono>
#include <utility>

namespace headscope::ui {
namespace {

constexpr std::chrono::seconds kInfoStays{12};
constexpr QRgb kInfoTint = 0xff0072b2;
constexpr QRgb kErrorTint = 0xffd55e00;

} // namespace

MessageBar::MessageBar(QWidget* parent) : TintedFrame(kInfoTint, parent) {
    setObjectName(QStringLiteral("messageBar"));
    text_ = new QLabel(this);
    text_->setObjectName(QStringLiteral("messageText"));
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    action_button_ = new QPushButton(this);
    action_button_->setObjectName(QStringLiteral("messageAction"));
    auto* close = new QToolButton(this);
    close->setObjectName(QStringLiteral("messageClose"));
    close->setText(QStringLiteral("✕"));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(tr("Close message"));

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 8, 6);
    layout->addWidget(text_, 1);
    layout->addWidget(action_button_);
    layout->addWidget(close);

    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(action_button_, &QPushButton::clicked, this, [this] {
        hide();
        action_();
    });
    away_.setSingleShot(true);
    away_.setInterval(kInfoStays);
    connect(&away_, &QTimer::timeout, this, &QWidget::hide);
    hide();
}

void MessageBar::showError(const QString& text) {
    action_button_->hide();
    away_.stop();
    appear(text, true);
}

void MessageBar::showInfo(const QString& text, const QString& action_text,
                          std::function<void()> action) {
    action_ = std::move(action);
    action_button_->setText(action_text);
    action_button_->show();
    away_.start();
    appear(text, false);
}

QString MessageBar::text() const {
    return text_->text();
}

void MessageBar::appear(const QString& text, bool error) {
    text_->setText(text);
    setAccessibleName(text);
    setTint(error ? kErrorTint : kInfoTint);
    show();
}

} // namespace headscope::ui

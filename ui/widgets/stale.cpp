#include "ui/widgets/stale.h"

#include <QEvent>
#include <QPainter>
#include <QWidget>

#include <utility>

namespace headscope::ui {
namespace {

constexpr double kVeil = 0.6; ///< share of the window's colour over what is stale

/// Covers a widget and lets every click through. (QGraphicsOpacityEffect shows arbitrary memory
/// behind widgets that paint all of themselves, as plots do.)
class Veil : public QWidget {
public:
    explicit Veil(QWidget* covered) : QWidget(covered) {
        setObjectName(name());
        setAttribute(Qt::WA_TransparentForMouseEvents);
        covered->installEventFilter(this);
        resize(covered->size());
        raise();
        show();
    }

    static QString name() { return QStringLiteral("veil"); }

    void setText(const QString& text) {
        if (std::exchange(text_, text) != text)
            update();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize)
            resize(static_cast<QWidget*>(watched)->size());
        return QWidget::eventFilter(watched, event);
    }

    void paintEvent(QPaintEvent*) override {
        QColor colour = palette().color(QPalette::Window);
        colour.setAlphaF(static_cast<float>(kVeil));
        QPainter painter(this);
        painter.fillRect(rect(), colour);
        if (!text_.isEmpty())
            paintText(painter);
    }

private:
    void paintText(QPainter& painter) const {
        constexpr int kAround = 8;
        constexpr int kFromTop = 24;
        QRect box =
            fontMetrics().boundingRect(text_).adjusted(-kAround, -kAround, kAround, kAround);
        box.moveCenter({rect().center().x(), 0});
        box.moveTop(kFromTop);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(palette().color(QPalette::Mid));
        painter.setBrush(palette().color(QPalette::Base));
        painter.drawRoundedRect(box, kAround / 2.0, kAround / 2.0);
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(box, Qt::AlignCenter, text_);
    }

    QString text_;
};

Veil* veilOf(const QWidget* widget) {
    return static_cast<Veil*>(
        widget->findChild<QWidget*>(Veil::name(), Qt::FindDirectChildrenOnly));
}

} // namespace

void setStale(QWidget* widget, bool stale, const QString& doing) {
    Veil* veil = veilOf(widget);
    if (!stale) {
        delete veil;
        return;
    }
    if (veil == nullptr)
        veil = new Veil(widget);
    veil->setText(doing);
}

bool isStale(const QWidget* widget) {
    return veilOf(widget) != nullptr;
}

} // namespace headscope::ui

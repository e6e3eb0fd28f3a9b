#include "ui/widgets/stale.h"

#include <QEvent>
#include <QPainter>
#include <QWidget>

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

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize)
            resize(static_cast<QWidget*>(watched)->size());
        return QWidget::eventFilter(watched, event);
    }

    void paintEvent(QPaintEvent*) override {
        QColor colour = palette().color(QPalette::Window);
        colour.setAlphaF(static_cast<float>(kVeil));
        QPainter(this).fillRect(rect(), colour);
    }
};

QWidget* veilOf(const QWidget* widget) {
    return widget->findChild<QWidget*>(Veil::name(), Qt::FindDirectChildrenOnly);
}

} // namespace

void setStale(QWidget* widget, bool stale) {
    if (stale == isStale(widget))
        return;
    if (stale)
        new Veil(widget);
    else
        delete veilOf(widget);
}

bool isStale(const QWidget* widget) {
    return veilOf(widget) != nullptr;
}

} // namespace headscope::ui

#include "ui/widgets/labels.h"

#include <QCoreApplication>
#include <QEvent>
#include <QImage>
#include <QUrl>

namespace headscope::ui {
namespace {

/// Makes the labels plain that Qt makes itself, in its file dialogs and message boxes, and leaves
/// to guess what they show.
class PlainLabels : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Polish) // which is before it is measured or shown
            return false;
        auto* label = qobject_cast<QLabel*>(watched);
        if (label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
            label->setTextFormat(Qt::PlainText);
        return false;
    }
};

void makeLabelsPlain() {
    qApp->installEventFilter(new PlainLabels(qApp));
}
Q_COREAPP_STARTUP_FUNCTION(makeLabelsPlain)

} // namespace

TextLabel::TextLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
}

TextLabel::TextLabel(const QString& text, QWidget* parent) : TextLabel(parent) {
    setText(text);
}

MarkupLabel::MarkupLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::RichText);
}

void MarkupLabel::setMarkup(const Markup& text) {
    QLabel::setText(text.html());
}

MarkupPage::MarkupPage(const Markup& text, QWidget* parent) : QTextBrowser(parent) {
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    setHtml(text.html());
}

QVariant MarkupPage::loadResource(int, const QUrl&) {
    return noPicture();
}

} // namespace headscope::ui

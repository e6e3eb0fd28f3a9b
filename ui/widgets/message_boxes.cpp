#include "ui/widgets/message_boxes.h"

#include <QIcon>

namespace headscope::ui {

QMessageBox::StandardButton askInBox(QWidget* parent, const QString& title, const QString& text,
                                     QMessageBox::StandardButtons answers,
                                     QMessageBox::StandardButton usual) {
    QMessageBox box(QMessageBox::Question, title, text, answers, parent);
    box.setTextFormat(Qt::PlainText);
    box.setDefaultButton(usual);
    return static_cast<QMessageBox::StandardButton>(box.exec());
}

void tellInBox(QWidget* parent, const QString& title, const Markup& text) {
    constexpr int kIconSide = 64;
    QMessageBox box(QMessageBox::NoIcon, title, text.html(), QMessageBox::Ok, parent);
    box.setTextFormat(Qt::RichText);
    box.setIconPixmap(box.windowIcon().pixmap(QSize(kIconSide, kIconSide), box.devicePixelRatio()));
    box.exec();
}

} // namespace headscope::ui

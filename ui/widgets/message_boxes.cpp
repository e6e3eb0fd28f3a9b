#include "ui/widgets/message_boxes.h"

#include <QAbstractButton>
#include <QIcon>
#include <QPushButton>

#include <algorithm>
#include <vector>

namespace headscope::ui {

QMessageBox::StandardButton askInBox(QWidget* parent, const QString& title, const QString& text,
                                     QMessageBox::StandardButtons answers,
                                     QMessageBox::StandardButton usual) {
    QMessageBox box(QMessageBox::Question, title, text, answers, parent);
    box.setTextFormat(Qt::PlainText);
    box.setDefaultButton(usual);
    return static_cast<QMessageBox::StandardButton>(box.exec());
}

std::optional<std::size_t> chooseInBox(QWidget* parent, const QString& title, const QString& text,
                                       const QStringList& answers) {
    QMessageBox box(QMessageBox::Warning, title, text, QMessageBox::Cancel, parent);
    box.setTextFormat(Qt::PlainText);
    std::vector<QAbstractButton*> buttons;
    for (const QString& answer : answers)
        buttons.push_back(box.addButton(answer, QMessageBox::AcceptRole));
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    const auto clicked = std::ranges::find(buttons, box.clickedButton());
    if (clicked == buttons.end())
        return std::nullopt;
    return static_cast<std::size_t>(clicked - buttons.begin());
}

void tellInBox(QWidget* parent, const QString& title, const Markup& text) {
    constexpr int kIconSide = 64;
    QMessageBox box(QMessageBox::NoIcon, title, text.html(), QMessageBox::Ok, parent);
    box.setTextFormat(Qt::RichText);
    box.setIconPixmap(box.windowIcon().pixmap(QSize(kIconSide, kIconSide), box.devicePixelRatio()));
    box.exec();
}

} // namespace headscope::ui

#pragma once

#include "tests/support/bait_pipe.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QStringList>
#include <QToolTip>
#include <QWidget>

#include <algorithm>

namespace headscope::ui::test {

/// 200 texts for which something that draws rich text would open a file or follow an address. The
/// bait they name is in `folder`: pipe, and picture.png, which is made here.
inline QStringList hostileMarkup(const QString& folder) {
    QImage picture(400, 300, QImage::Format_RGB32);
    picture.fill(Qt::red);
    const QString picture_path = QDir(folder).filePath(QStringLiteral("picture.png"));
    picture.save(picture_path);
    const QString pipe = QDir(folder).filePath(QStringLiteral("pipe"));
    const QStringList addresses{
        pipe,
        QStringLiteral("file://") + pipe,
        QString(pipe).replace(QLatin1Char('/'), QStringLiteral("&#47;")),
        picture_path,
        QStringLiteral("/dev/zero"),
        QStringLiteral(
            "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4"
            "nGP6DwABBQECz6AuzQAAAABJRU5ErkJggg=="),
        QStringLiteral("qrc:/icons/headscope.svg"),
        QStringLiteral("pixels:2x2,AAAA"),
    };
    const QStringList forms{
        QStringLiteral("<img src='%1'>"),
        QStringLiteral("<img src=\"%1\" width=9 height=9>"),
        QStringLiteral("<IMG SRC=%1>"),
        QStringLiteral("<b>bold</b> & <img src='%1'/> end"),
        QStringLiteral("plain\n<img src='%1'>"),
        QStringLiteral("&lt;img src='%1'&gt; <img src='%1'>"),
        QStringLiteral("<!DOCTYPE html><html><body background='%1'>x</body></html>"),
        QStringLiteral("<?xml version='1.0'?><img src='%1'>"),
        QStringLiteral("<table background='%1'><tr><td background='%1'>x</td></tr></table>"),
        QStringLiteral("<p style=\"background-image: url(%1)\">x</p>"),
        QStringLiteral("<style>p { background-image: url('%1') }</style><p>x</p>"),
        QStringLiteral("<style>@import url(%1);</style><p>x</p>"),
        QStringLiteral("<link rel='stylesheet' type='text/css' href='%1'><p>x</p>"),
        QStringLiteral("<a href='%1'>click</a>"),
        QStringLiteral("<a href='%1'><img src='%1'></a>"),
        QStringLiteral("<ul style=\"list-style-image: url('%1')\"><li>x</li></ul>"),
        QStringLiteral("<object data='%1' type='image/png'>x</object>"),
        QStringLiteral("<iframe src='%1'></iframe><p>x</p>"),
        QStringLiteral("<svg><image href='%1'/></svg><p>x</p>"),
        QStringLiteral("<video poster='%1' src='%1'></video><p>x</p>"),
        QStringLiteral("</b></span></td></table><img src='%1'>"),
        QStringLiteral("\"'><img src='%1'>"),
        QStringLiteral("--></style></title><img src='%1'>"),
        QStringLiteral("%2 %1 &amp; <img src='%1'> [*] %n"),
        QStringLiteral("%1"),
    };
    QStringList texts;
    for (const QString& form : forms)
        for (const QString& address : addresses)
            texts << QString(form).replace(QStringLiteral("%1"), address);
    return texts;
}

/// The same texts without a tag, by which it is told what is opened in any case.
inline QStringList harmless(QStringList texts) {
    for (QString& text : texts)
        text.replace(QLatin1Char('<'), QLatin1Char('('))
            .replace(QLatin1Char('&'), QLatin1Char('+'));
    return texts;
}

/// Draws the tool tip that is shown.
inline void drawTip() {
    for (QWidget* top : QApplication::topLevelWidgets())
        if (top->inherits("QTipLabel"))
            top->grab();
}

inline void showTipAt(QWidget* widget, QPoint at) {
    QHelpEvent help(QEvent::ToolTip, at, widget->mapToGlobal(at));
    QApplication::sendEvent(widget, &help);
    drawTip();
}

/// Draws a window and every tool tip in it that a pointer could find: of widgets, at places all
/// over them, of the first cells of tables and of the entries of menus.
inline void lookAtEverything(QWidget& window) {
    constexpr int kPlaces = 4;
    constexpr int kCells = 6;
    window.grab();
    QWidgetList shown{&window};
    for (QWidget* child : window.findChildren<QWidget*>())
        if (child->isVisible())
            shown << child;
    for (QWidget* widget : shown) {
        for (int i = 0; i < kPlaces * kPlaces; ++i)
            showTipAt(widget, {widget->width() * (2 * (i % kPlaces) + 1) / (2 * kPlaces),
                               widget->height() * (2 * (i / kPlaces) + 1) / (2 * kPlaces)});
        const auto* view = qobject_cast<QAbstractItemView*>(widget);
        if (!view || !view->model())
            continue;
        for (int row = 0; row < std::min(kCells, view->model()->rowCount()); ++row)
            for (int column = 0; column < std::min(kCells, view->model()->columnCount()); ++column)
                showTipAt(view->viewport(),
                          view->visualRect(view->model()->index(row, column)).center());
    }
    for (const QAction* action : window.findChildren<QAction*>()) {
        const QString of_none = QAction(action->text()).toolTip(); // which no menu shows
        if (action->toolTip() == of_none)
            continue;
        QToolTip::showText(window.pos(), action->toolTip(), &window); // as a menu does
        drawTip();
    }
    QToolTip::hideText();
}

/// The labels that would guess whether what they show is rich text, or show an element that loads
/// something. Our own markup has none of these.
inline QStringList labelsThatLoad(const QWidget& window) {
    QStringList found;
    for (const QLabel* label : window.findChildren<QLabel*>()) {
        if (label->inherits("QTipLabel"))
            continue; // Qt's own, which shows what asTip() made
        const QString text = label->text();
        const bool loads =
            label->textFormat() == Qt::RichText &&
            (text.contains(QStringLiteral("<img"), Qt::CaseInsensitive) ||
             text.contains(QStringLiteral("<a "), Qt::CaseInsensitive) ||
             text.contains(QStringLiteral("<link")) || text.contains(QStringLiteral("<table b")) ||
             text.contains(QStringLiteral("<style")));
        if (loads || label->textFormat() == Qt::AutoText)
            found << QStringLiteral("%1 '%2'").arg(label->objectName(), text);
    }
    return found;
}

} // namespace headscope::ui::test

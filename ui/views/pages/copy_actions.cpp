#include "ui/views/pages/copy_actions.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/dialog_parts.h"

#include <QAction>
#include <QEvent>
#include <QMenu>
#include <QPushButton>
#include <QWidget>

#include <utility>

namespace headscope::ui {
namespace {

void show(QAction& action, const Repetition& repetition, const QString& tip) {
    action.setEnabled(bool(repetition));
    action.setToolTip(asTip(repetition ? tip : toQString(repetition.error().message)));
}

} // namespace

CopyActions::CopyActions(QWidget* owner, Ask ask, Keys keys)
    : QObject(owner), ask_(std::move(ask)) {
    command_ = new QAction(tr("Copy as Co&mmand"), this);
    command_->setObjectName(QStringLiteral("copyCommand"));
    python_ = new QAction(tr("Copy as P&ython"), this);
    python_->setObjectName(QStringLiteral("copyPython"));
    if (keys == Keys::OfOwner) {
        command_->setShortcut(copyCommandKey());
        python_->setShortcut(copyPythonKey());
        for (QAction* action : {command_, python_})
            action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        owner->addActions({command_, python_});
    }
    connect(command_, &QAction::triggered, this, [this] { emit said(copyAsCommand(ask_())); });
    connect(python_, &QAction::triggered, this, [this] { emit said(copyAsPython(ask_())); });
    refresh();
}

void CopyActions::offerOn(QWidget* widget) {
    if (widget->contextMenuPolicy() == Qt::DefaultContextMenu)
        widget->setContextMenuPolicy(Qt::ActionsContextMenu);
    widget->addActions({command_, python_});
    widget->installEventFilter(this);
}

void CopyActions::addTo(QMenu& menu) {
    menu.setToolTipsVisible(true);
    menu.addActions({command_, python_});
    connect(&menu, &QMenu::aboutToShow, this, &CopyActions::refresh);
}

QPushButton* CopyActions::makeButton(QWidget* parent) {
    QPushButton* button = headscope::ui::makeButton(
        "copyAs", tr("Copy as"),
        tr("A line of headscope-cli, or of Python, that gives these numbers again"), parent);
    auto* menu = new QMenu(button);
    menu->setObjectName(QStringLiteral("copyAsMenu"));
    addTo(*menu);
    button->setMenu(menu);
    return button;
}

void CopyActions::refresh() {
    const Repetition repetition = ask_();
    show(*command_, repetition,
         tr("Puts the line of headscope-cli on the clipboard that gives these numbers again"));
    show(*python_, repetition,
         tr("Puts lines of Python on the clipboard that give these numbers again"));
}

bool CopyActions::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ContextMenu)
        refresh();
    return QObject::eventFilter(watched, event);
}

QKeySequence copyCommandKey() {
    return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C);
}

QKeySequence copyPythonKey() {
    return QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Y);
}

} // namespace headscope::ui

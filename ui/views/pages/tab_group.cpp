#include "ui/views/pages/tab_group.h"

#include <QKeyEvent>

#include <algorithm>

namespace headscope::ui {

TabGroup::TabGroup(int columns, QObject* parent) : QObject(parent), columns_(columns) {}

void TabGroup::setMembers(const QList<QWidget*>& members) {
    members_.clear();
    for (QWidget* member : members) {
        member->installEventFilter(this); // once, however often
        members_ << member;
    }
    const auto focused = std::ranges::find_if(members, &QWidget::hasFocus);
    if (!members.isEmpty())
        makeTabStop(focused == members.end() ? members.front() : *focused);
}

void TabGroup::makeTabStop(const QWidget* stop) {
    for (const QPointer<QWidget>& member : std::as_const(members_))
        if (member)
            member->setFocusPolicy(member == stop ? Qt::StrongFocus : Qt::ClickFocus);
}

bool TabGroup::eventFilter(QObject* watched, QEvent* event) {
    const qsizetype place = members_.indexOf(qobject_cast<QWidget*>(watched));
    if (place < 0)
        return QObject::eventFilter(watched, event);
    if (event->type() == QEvent::FocusIn) {
        makeTabStop(members_[place]);
        emit reached(members_[place]);
    }
    if (event->type() != QEvent::KeyPress)
        return QObject::eventFilter(watched, event);
    return moveFrom(place, static_cast<QKeyEvent*>(event)->key());
}

bool TabGroup::moveFrom(qsizetype place, int key) {
    const qsizetype step = key == Qt::Key_Left    ? -1
                           : key == Qt::Key_Right ? 1
                           : key == Qt::Key_Up    ? -columns_
                           : key == Qt::Key_Down  ? columns_
                                                  : 0;
    const qsizetype to = place + step;
    if (step == 0 || to < 0 || to >= members_.size() || !members_[to])
        return false;
    members_[to]->setFocus(Qt::TabFocusReason);
    return true;
}

} // namespace headscope::ui

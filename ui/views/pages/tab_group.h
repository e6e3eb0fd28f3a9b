#pragma once

#include <QList>
#include <QObject>
#include <QPointer>
#include <QWidget>

namespace headscope::ui {

/// Controls of which the tab key reaches one, the one that had the focus last, and the arrow keys
/// the others.
class TabGroup : public QObject {
    Q_OBJECT

public:
    /// `columns` of them are side by side, row by row.
    TabGroup(int columns, QObject* parent);

    /// In their order. Those that were members and are none now stay as they are.
    void setMembers(const QList<QWidget*>& members);

signals:
    void reached(QWidget* member);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeTabStop(const QWidget* stop);
    bool moveFrom(qsizetype place, int key);

    int columns_;
    QList<QPointer<QWidget>> members_;
};

} // namespace headscope::ui

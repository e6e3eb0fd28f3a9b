#pragma once

#include "ui/document/repetition.h"

#include <QKeySequence>
#include <QObject>
#include <QString>

#include <functional>

class QAction;
class QMenu;
class QPushButton;
class QWidget;

namespace headscope::ui {

/// The same in all windows.
QKeySequence copyCommandKey();
QKeySequence copyPythonKey();

/// Copy as Command and Copy as Python for what a widget shows, in its context menu and by keys
/// while it has the focus. Each is enabled while there is something to copy, and its tip says why
/// not else.
class CopyActions : public QObject {
    Q_OBJECT

public:
    using Ask = std::function<Repetition()>;

    /// Without keys where the window has them for something else.
    enum class Keys { OfOwner, None };

    CopyActions(QWidget* owner, Ask ask, Keys keys = Keys::OfOwner);

    /// What is copied now.
    Repetition repetition() const { return ask_(); }

    /// Another widget offers both in its context menu, above or below its own actions.
    void offerOn(QWidget* widget);
    /// A menu that has both after its own actions.
    void addTo(QMenu& menu);
    /// A button that opens both as a menu.
    QPushButton* makeButton(QWidget* parent);
    /// What is shown is something else now.
    void refresh();

signals:
    /// What was copied, or why nothing was.
    void said(const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    Ask ask_;
    QAction* command_ = nullptr;
    QAction* python_ = nullptr;
};

} // namespace headscope::ui

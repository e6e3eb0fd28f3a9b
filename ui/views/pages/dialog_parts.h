#pragma once

#include "ui/markup/markup.h"

#include <QKeySequence>
#include <QString>
#include <QWidget>

#include <functional>

class QComboBox;
class QDialog;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace headscope::ui {

class CopyActions;
class JobIndicator;
class JobRunner;
class TableExport;

/// Appends a field with its name in front, whose mnemonic leads to the field.
QLabel* addField(QHBoxLayout* row, const QString& name, QWidget* field);

/// Lets a combo box be narrower than its longest entry, as beside another page.
void letShrink(QComboBox* box);

/// A button that the Return key presses only when it has the focus.
QPushButton* makeButton(const char* name, const QString& text, const QString& tip, QWidget* parent);

/// Makes a button the one that writes what its page shows.
void setExports(QPushButton* button);
/// That of a page, in sight; null: it has none.
QPushButton* exportButtonOf(const QWidget& page);

/// What a key does while the focus is in a widget.
void addKey(QWidget* widget, QKeySequence::StandardKey key, const std::function<void()>& act);

/// Sentences as the tool tip of a widget, and without the tags as its description for screen
/// readers.
void setRichTip(QWidget* widget, const Markup& text);

/// The last line of a dialog that computes: progress with a cancel button, a button to compute
/// again, and one that closes the dialog.
class JobFooter : public QWidget {
    Q_OBJECT

public:
    explicit JobFooter(QDialog* dialog);

    /// `name` says what the runner does.
    void watch(JobRunner* runner, const QString& name);
    /// A button for the actions, and beside it what they said.
    void offer(CopyActions& copies);
    /// The same for a table that can be written.
    void offer(TableExport& table);

signals:
    void againRequested();

private:
    JobIndicator* jobs_ = nullptr;
    QLabel* said_ = nullptr;
    QPushButton* again_ = nullptr;
    QHBoxLayout* layout_ = nullptr;
};

} // namespace headscope::ui

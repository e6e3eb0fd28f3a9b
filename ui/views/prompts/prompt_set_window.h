#pragma once

#include "ui/document/prompt_set_run.h"

#include <QDialog>
#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QModelIndex;
class QPushButton;

namespace headscope::ui {

class Dialogs;
class TextChoice;

/// Where a set of prompts comes from: bundled sentences, prompts made for the model, a file, or
/// pasted lines.
class PromptSetSource : public QWidget {
    Q_OBJECT

public:
    explicit PromptSetSource(Dialogs& dialogs, QWidget* parent = nullptr);

    PromptSetText text() const;
    QComboBox* box() const;

signals:
    /// A file could not be read; the source stays what it was.
    void failed(const QString& message);

private:
    TextChoice* choice_ = nullptr;
};

class CopyActions;
class Dialogs;
class Document;
class JobIndicator;
class NumberTable;
class ScoreBox;
class TablePage;

/// A set of prompts as a table that can be sorted: loss and prediction of each, what the heads that
/// are ablated change, and what the selected head does there; above it the means. A row opens as
/// the prompt of the main window. Closing it stops what runs and keeps what is there.
class PromptSetWindow : public QDialog {
    Q_OBJECT

public:
    PromptSetWindow(Document& document, Dialogs& dialogs, QWidget* parent = nullptr);

    void done(int result) override;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void makeTable();
    QWidget* makeTop();
    QWidget* makeFooter();
    void connectDocument();
    void showState();
    void showResult();
    void showRows();
    void showTypes();
    QString summary() const;
    std::optional<HeadReadingChoice> choice() const;
    Table table() const;
    void openPrompt(const QModelIndex& row);
    void showInGrid();
    void write();

    Document& document_;
    Dialogs& dialogs_;
    PromptSetRun run_;
    PromptSetSource* source_ = nullptr;
    QPushButton* start_ = nullptr;
    QLabel* summary_ = nullptr;
    NumberTable* numbers_ = nullptr;
    TablePage* page_ = nullptr;
    QLabel* head_ = nullptr;
    ScoreBox* type_ = nullptr;
    JobIndicator* jobs_ = nullptr;
    QPushButton* grid_ = nullptr;
    QPushButton* write_ = nullptr;
    CopyActions* copies_ = nullptr;
};

} // namespace headscope::ui

#pragma once

#include "core/heads/examples.h"
#include "ui/document/example_reading.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QListView;
class QModelIndex;
class QPushButton;
class QSpinBox;

namespace headscope::ui {

class CopyActions;
class Dialogs;
class Document;
class ExampleModel;
class JobIndicator;
class TextSource;
class WeightHistogram;

/// Where in a text the selected head looks most strongly: rows from the whole range of strength, in
/// their text, with a histogram. An example opens as the prompt of the main window. Closing it
/// stops what runs and keeps what is there.
class ExampleWindow : public QDialog {
    Q_OBJECT

public:
    ExampleWindow(Document& document, Dialogs& dialogs, QWidget* parent = nullptr);

    void done(int result) override;

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeSource();
    QWidget* makeHead();
    void makeList();
    QWidget* makeFooter();
    void connectReading();
    void scan();
    void openFolder();
    void showState();
    void showList();
    void showNotes();
    void follow();
    QString summary() const;
    QString note(const HeadExample& example) const;
    ExampleQuestion question() const;
    void openPrompt(const QModelIndex& row);
    void copy();
    void write();

    Document& document_;
    Dialogs& dialogs_;
    ExampleReading reading_;
    TextSource* source_ = nullptr;
    QSpinBox* length_ = nullptr;
    QPushButton* start_ = nullptr;
    QLabel* summary_ = nullptr;
    QLabel* head_ = nullptr;
    QLabel* means_ = nullptr;
    WeightHistogram* histogram_ = nullptr;
    QComboBox* kind_ = nullptr;
    QPushButton* effects_ = nullptr;
    ExampleModel* examples_ = nullptr;
    QListView* list_ = nullptr;
    JobIndicator* jobs_ = nullptr;
    QPushButton* copy_ = nullptr;
    CopyActions* copies_ = nullptr;
    QPushButton* write_ = nullptr;
};

} // namespace headscope::ui

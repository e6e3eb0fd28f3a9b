#pragma once

#include "core/base/result.h"
#include "ui/document/document.h"
#include "ui/document/repetition.h"
#include "ui/views/export/export_plan.h"

#include <QDialog>

#include <functional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace headscope::ui {

class CopyActions;
class Dialogs;

/// Writes the picture or the numbers of heads to a file.
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    using SaveFigure = std::function<Result<void>(const QString& path)>;

    /// The document must have a result; `view` is what is shown of it.
    ExportDialog(Document& document, ShownView view, SaveFigure save_figure, Dialogs& dialogs,
                 QWidget* parent = nullptr);

signals:
    /// `repetition` writes the same file.
    void exported(const QString& path, const Repetition& repetition);

private:
    void makeFields();
    QString figureText() const;
    void layOut();
    ExportPlan plan() const;
    void showFormats();
    void suggestPath();
    void showState();
    void browse();
    void write();
    void finish(const Result<void>& written, const QString& path);
    Repetition repetition() const;

    Document& document_;
    ShownView view_;
    SaveFigure save_figure_;
    Dialogs& dialogs_;
    QComboBox* what_ = nullptr;
    QComboBox* format_ = nullptr;
    QLineEdit* path_ = nullptr;
    QPushButton* browse_ = nullptr;
    QLabel* summary_ = nullptr;
    QLabel* state_ = nullptr;
    QPushButton* write_ = nullptr;
    CopyActions* copies_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui

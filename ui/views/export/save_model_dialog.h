#pragma once

#include "core/base/result.h"
#include "core/export/convert_model.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QDialog>

#include <memory>

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace headscope::ui {

class CopyActions;
class Dialogs;

/// Writes the open model, whatever its file was, as one HDF5 file with config and tokenizer inside.
class SaveModelDialog : public QDialog {
    Q_OBJECT

public:
    /// `options` are those that the model was loaded with.
    SaveModelDialog(std::shared_ptr<const Model> model, const LoadOptions& options,
                    Dialogs& dialogs, QWidget* parent = nullptr);

signals:
    /// `repetition` writes the same file.
    void saved(const QString& path, const QString& note, const Repetition& repetition);

private:
    void makeFields();
    void layOut();
    FloatFormat format() const;
    QString formatText(FloatFormat format) const;
    void showState();
    void browse();
    void save();
    void finish(const Result<ConvertedModel>& converted, const QString& path);
    Repetition repetition() const;

    std::shared_ptr<const Model> model_;
    LoadOptions options_;
    Dialogs& dialogs_;
    QComboBox* format_ = nullptr;
    QLineEdit* path_ = nullptr;
    QPushButton* browse_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* state_ = nullptr;
    QPushButton* save_ = nullptr;
    CopyActions* copies_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui

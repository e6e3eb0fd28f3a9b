#pragma once

#include "core/base/result.h"
#include "ui/document/document.h"
#include "ui/document/patch_reading.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QDialog>
#include <QList>

#include <memory>

class QComboBox;
class QLabel;
class QLayout;
class QPushButton;

namespace headscope::ui {

class CopyActions;
class Dialogs;
class Heatmap;
class TokenBox;

/// Which activations of one of the two compared prompts bring the other back to it, on a grid of
/// layers and positions or heads. Follows A and B.
class PatchDialog : public QDialog {
    Q_OBJECT

public:
    PatchDialog(Document& document, Dialogs& dialogs, QWidget* parent = nullptr);

private:
    void makeFields();
    void makeMetricFields();
    QLayout* layOutFields();
    void makeViews();
    QLayout* layOutExport();
    void followCompared();
    void showFields();
    PatchAsk ask() const;
    void start();
    void take(Result<PatchReading> reading);
    void showReading();
    void showMessage(const QString& message);
    Repetition repetition() const;
    void chooseCell(std::size_t layer, std::size_t column);
    QString askPath(const QString& extension, const QString& filter);
    void saveFigure();
    void saveNumbers();
    void sayWritten(const Result<void>& written, const QString& path);

    Document& document_;
    Dialogs& dialogs_;
    PatternSource compared_; ///< that the fields are of
    QList<PatchWhat> choices_;
    std::shared_ptr<const PatchReading> reading_; ///< null: nothing to show
    QComboBox* what_ = nullptr;
    QComboBox* by_ = nullptr;
    QComboBox* direction_ = nullptr;
    QComboBox* metric_ = nullptr;
    TokenBox* token_ = nullptr;
    TokenBox* other_ = nullptr;
    QComboBox* method_ = nullptr;
    Heatmap* grid_ = nullptr;
    QLabel* cell_ = nullptr;
    QLabel* summary_ = nullptr;
    QPushButton* figure_ = nullptr;
    QPushButton* numbers_ = nullptr;
    CopyActions* copies_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui

#pragma once

#include "core/base/result.h"
#include "core/export/save_smaller_model.h"
#include "core/pruning/gains.h"
#include "ui/document/pruning_bench.h"
#include "ui/workers/job_runner.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <optional>

class QPushButton;

namespace headscope::ui {

class CopyActions;
class Dialogs;

/// What is carried away from the bench: the chosen cut as ablation, smaller model or recipe, the
/// curves as figure or numbers, and the command that measures them.
class CarryBar : public QWidget {
    Q_OBJECT

public:
    /// What other parts of the window have.
    struct Sources {
        std::function<void()> apply;
        std::function<Result<void>(const QString& path)> save_figure;
        CopyActions* copies; ///< of the curves
    };
    CarryBar(PruningBench& bench, Dialogs& dialogs, Sources sources, QWidget* parent = nullptr);

    JobRunner& worker() { return worker_; }

signals:
    void said(const QString& message);
    void modelSaved(const QString& path);
    void speedMeasured(const Gain& speed);

private:
    QPushButton* addButton(const char* name, const QString& text, const QString& tip);
    void showState();
    QString askPath(const QString& name, const QString& extension, const QString& filter);
    void fillSaveMenu();
    void saveModel(ModelForm form);
    void saveRecipe();
    void saveFigure();
    void saveNumbers();
    void finishModel(const Result<SavedModel>& saved, const QString& path,
                     const std::optional<Gain>& speed);
    void finishFile(const Result<void>& written, const QString& path);

    PruningBench& bench_;
    Dialogs& dialogs_;
    Sources sources_;
    QPushButton* apply_ = nullptr;
    QPushButton* save_ = nullptr;
    QPushButton* recipe_ = nullptr;
    QPushButton* figure_ = nullptr;
    QPushButton* numbers_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui

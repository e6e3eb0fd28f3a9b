#pragma once

#include "core/pruning/grouping_losses.h"
#include "ui/document/pruning_bench.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <memory>

class QLabel;
class QPushButton;

namespace headscope::ui {

class CopyActions;
class NumberPage;

/// What it costs to share keys and values among more queries, on the texts of the bench. Measured
/// on request.
class GroupingPage : public QWidget {
    Q_OBJECT

public:
    /// `repetition` measures the same on the command line.
    GroupingPage(PruningBench& bench, std::function<Repetition()> repetition,
                 QWidget* parent = nullptr);

    JobRunner& worker() { return worker_; }

signals:
    void said(const QString& text); ///< what was copied

private:
    void forget();
    void measure();
    void take(const Result<GroupingResult>& result);
    void showState();
    QString reasonNotTo() const;
    QString summary() const;

    PruningBench& bench_;
    std::shared_ptr<const PruningDomain> measured_texts_; ///< null: nothing was measured
    QString said_;                                        ///< of what was measured, or why not
    QPushButton* measure_ = nullptr;
    QLabel* summary_ = nullptr;
    NumberPage* table_ = nullptr;
    CopyActions* copies_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui

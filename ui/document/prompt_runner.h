#pragma once

#include "core/base/result.h"
#include "ui/document/prompt_run.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>
#include <memory>

namespace headscope::ui {

/// Runs the prompt off the GUI thread and keeps the last good run. Lives on the GUI thread.
class PromptRunner : public QObject {
    Q_OBJECT

public:
    explicit PromptRunner(QObject* parent = nullptr);

    /// Runs at once; a question that is not answered yet is dropped.
    void run(RunQuestion question);
    /// The same after a short pause, for text that is being typed.
    void runAfterPause(RunQuestion question);
    /// Drops run and error, which belong to another model, and what is being run.
    void forget();

    /// Null until the first run. Stays the last good one while a new one is on its way.
    std::shared_ptr<const RunResult> result() const { return result_; }
    /// Why there is no run for the present prompt; empty when there is one.
    QString error() const { return error_; }
    /// False where the result is of an earlier question: the last one failed, was cancelled, or has
    /// taken longer than the patience. What shows the result then says so.
    bool isCurrent() const { return is_current_; }
    /// How long a question may be without an answer before the result counts as an earlier one's:
    /// 200 ms, in which nobody sees a difference. Tests ask for less.
    void setPatience(std::chrono::milliseconds patience) { late_.setInterval(patience); }
    JobRunner* worker() { return &worker_; }

signals:
    /// `other_tokens` when the run before, if any, was of another prompt.
    void resultChanged(bool other_tokens);
    void errorChanged();
    void currentChanged();

private:
    void start();
    void expectAnswer();
    void setCurrent(bool current);
    void take(const Result<std::shared_ptr<const RunResult>>& result);

    RunQuestion question_;
    std::shared_ptr<const RunResult> result_;
    QString error_;
    bool is_current_ = true;
    QTimer pause_;
    QTimer late_; ///< runs from the first question that has no answer yet
    JobRunner worker_;
};

} // namespace headscope::ui

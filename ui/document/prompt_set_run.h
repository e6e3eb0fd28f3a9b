#pragma once

#include "core/interventions/prompt_set.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <string>

namespace headscope::ui {

class Document;

/// Where prompts come from, and what results call them.
struct PromptSetText {
    std::string name;
    /// One prompt per line. Nothing: made for the model, indirect objects (Wang et al. 2022).
    std::optional<std::string> lines;
    QString file = {}; ///< that holds them; empty: none
};

/// A set of prompts, run through the model of the document with its ablated heads. Lives on the GUI
/// thread.
class PromptSetRun : public QObject {
    Q_OBJECT

public:
    explicit PromptSetRun(Document& document, QObject* parent = nullptr);

    /// Outcomes arrive some at a time; those of an earlier run are gone at once.
    void run(PromptSetText text);

    /// What has run so far; null before.
    std::shared_ptr<const PromptSetResult> result() const { return result_ ? result_ : so_far_; }
    /// Whether everything has run.
    bool isWhole() const { return result_ != nullptr; }
    /// Whether other heads are ablated in the document than were in this run.
    bool isStale() const;
    /// What runs the same set; with a choice its column, too.
    Repetition repetition(const std::optional<HeadReadingChoice>& choice) const;
    /// Why nothing ran; empty: it did, or was not asked to.
    QString error() const { return error_; }
    JobRunner* worker() { return &worker_; }

signals:
    void resultChanged();
    /// It runs now or no longer, or is stale or no longer.
    void stateChanged();

private:
    struct Part;
    void forget();
    void take(const Part& part);
    void finish(const Result<std::shared_ptr<const PromptSetResult>>& result);

    Document& document_;
    std::shared_ptr<PromptSetResult> so_far_; ///< while it runs, or where it was stopped
    std::shared_ptr<const PromptSetResult> result_;
    QString error_;
    QString file_; ///< of what runs or has run
    BosMode bos_ = BosMode::Auto;
    JobRunner worker_;
};

} // namespace headscope::ui

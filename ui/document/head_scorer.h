#pragma once

#include "core/base/result.h"
#include "core/heads/score_heads.h"
#include "core/model/model.h"
#include "ui/document/prompt_run.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace headscope::ui {

/// On what input the scores that label the heads were measured.
enum class ScoreSource { RandomRepeats, Prompt, PromptSet };

/// headscope::scoreHeads, or what a test has in its place.
using ScoreHeads = std::function<decltype(headscope::scoreHeads)>;

/// The scores of all heads: measured here, off the GUI thread, on repeats and sentences, read off
/// the run of the user's own prompt, or handed over from a set of prompts. Lives on the GUI thread.
class HeadScorer : public QObject {
    Q_OBJECT

public:
    explicit HeadScorer(ScoreHeads score, QObject* parent = nullptr);

    /// Scores arrive in parts; those of an earlier measurement stay until the new ones are whole.
    void measure(const std::shared_ptr<const Model>& model);
    /// Its types are read off the run where that was not done while it ran, and they are asked for.
    void setPromptRun(std::shared_ptr<const RunResult> run);
    /// Null: there is no set, or it is of another model.
    void setPromptSetScores(std::shared_ptr<const HeadScores> scores);
    bool hasPromptSetScores() const { return of_prompt_set_ != nullptr; }
    /// Drops all scores, which belong to another model.
    void forget();

    /// What the user chose. The effective source is another one where a model cannot be scored on
    /// random repeats (then it is the prompt) or there is no set of prompts.
    ScoreSource source() const { return source_; }
    ScoreSource effectiveSource() const;
    void setSource(ScoreSource source);

    /// The scores of the effective source, null while they are not there.
    std::shared_ptr<const HeadScores> scores() const;
    /// Those on repeats and sentences, whatever the source.
    std::shared_ptr<const HeadScores> measuredScores() const { return measured_; }
    /// Why the heads cannot be scored on random repeats; empty when they can or it is not known.
    QString error() const { return error_; }
    /// Whether the scores of the effective source are on their way, or more of them.
    bool isMeasuring() const;
    JobRunner* worker() { return &worker_; }
    JobRunner* promptReader() { return &prompt_reader_; }

signals:
    void measured();      ///< measuredScores() has more to say; comes before scoresChanged()
    void scoresChanged(); ///< the scores, their source, or whether they are being measured

private:
    void takePart(const HeadScores& part);
    void takeAll(const Result<HeadScores>& scores);
    void readPromptIfAsked();

    ScoreHeads score_;
    std::shared_ptr<const HeadScores> measured_;
    std::shared_ptr<const RunResult> prompt_run_;
    std::shared_ptr<const HeadScores> of_prompt_;
    std::shared_ptr<const HeadScores> of_prompt_set_;
    ScoreSource source_ = ScoreSource::RandomRepeats;
    QString error_;
    JobRunner worker_;
    JobRunner prompt_reader_;
};

} // namespace headscope::ui

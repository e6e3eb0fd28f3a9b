#pragma once

#include "core/analysis/head_score.h"
#include "core/analysis/loss.h"
#include "core/analysis/score_heads.h"
#include "core/engine/run.h"
#include "core/experiment/head_mask.h"
#include "core/model/model.h"
#include "core/model/prompt.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>
#include <QTimer>
#include <QUndoStack>

#include <memory>
#include <optional>

namespace headscope::ui {

/// Everything a run says that views show, computed off the GUI thread.
struct RunResult {
    Prompt prompt;
    HeadMask mask;
    std::shared_ptr<const Run> full;   ///< all heads on
    std::shared_ptr<const Run> masked; ///< with the mask; the same as `full` when the mask is empty
    std::optional<double> full_loss;   ///< mean next-token loss, nats; causal models only
    std::optional<double> masked_loss;
    std::vector<Prediction> predictions;     ///< of the masked run
    std::optional<std::size_t> predicted_at; ///< the position they belong to: last, or first [MASK]
    HeadScores prompt_scores;                ///< on the user's own prompt
};

/// On what input the scores that label the heads were measured.
enum class ScoreSource { RandomRepeats, Prompt };

/// The one document behind the window. Views observe it and ask it for changes; they never talk to
/// each other. Lives on the GUI thread; long work runs in its JobRunners.
class Document : public QObject {
    Q_OBJECT

public:
    explicit Document(QObject* parent = nullptr);
    ~Document() override;

    // What is open. A failed load leaves everything as it was.
    void open(const QString& path);
    std::shared_ptr<const Model> model() const { return model_; }

    // The prompt. Changes re-run after a short pause in typing.
    QString promptText() const { return prompt_text_; }
    void setPromptText(const QString& text);
    BosMode bosMode() const { return bos_mode_; }
    void setBosMode(BosMode mode);
    /// Why there is no run for the text as it stands; empty when there is one.
    QString promptError() const { return prompt_error_; }

    /// Null until the first run. Stays the last good one while a new one is on its way.
    std::shared_ptr<const RunResult> result() const { return result_; }
    std::shared_ptr<const HeadScores> randomScores() const { return random_scores_; }
    /// The scores of the chosen source, null while they are not there yet.
    std::shared_ptr<const HeadScores> scores() const;
    ScoreSource scoreSource() const { return score_source_; }
    void setScoreSource(ScoreSource source);
    const Thresholds& thresholds() const { return thresholds_; }
    void setThreshold(DetectorId detector, double value);

    LayerHead selected() const { return selected_; }
    void select(LayerHead head);

    // Heads switched off: undoable.
    const HeadMask& mask() const { return mask_; }
    AblationKind ablationKind() const { return ablation_kind_; }
    void setAblationKind(AblationKind kind);
    void toggleHead(LayerHead head);
    void toggleGroup(LayerHead head); ///< all query heads of the head's KV group
    void clearMask();
    QUndoStack* undoStack() { return &undo_; }

    JobRunner* loader() { return &loader_; }
    JobRunner* runner() { return &runner_; }
    JobRunner* scorer() { return &scorer_; }

signals:
    void modelChanged();
    void loadFailed(const QString& path, const QString& message);
    void promptChanged();  ///< text, BOS or its error
    void resultChanged();  ///< a new run is there
    void scoresChanged();  ///< scores, their source or thresholds
    void selectionChanged();
    void maskChanged();

private:
    friend class SetMaskCommand;
    void adopt(std::shared_ptr<const Model> model);
    void setMask(HeadMask mask);
    void startRun();
    void startScores();

    std::shared_ptr<const Model> model_;
    QString prompt_text_;
    BosMode bos_mode_ = BosMode::Auto;
    QString prompt_error_;
    std::shared_ptr<const RunResult> result_;
    std::shared_ptr<const HeadScores> random_scores_;
    std::shared_ptr<const HeadScores> prompt_scores_;
    ScoreSource score_source_ = ScoreSource::RandomRepeats;
    Thresholds thresholds_;
    LayerHead selected_;
    HeadMask mask_;
    AblationKind ablation_kind_ = AblationKind::Zero;
    QUndoStack undo_;
    QTimer debounce_;
    JobRunner loader_;
    JobRunner runner_;
    JobRunner scorer_;
};

} // namespace headscope::ui

#pragma once

#include "core/base/layer_head.h"
#include "core/heads/head_score.h"
#include "core/interventions/prompt_set.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"
#include "core/model/prompt.h"
#include "ui/document/ablation.h"
#include "ui/document/comparison.h"
#include "ui/document/effect_tester.h"
#include "ui/document/head_scorer.h"
#include "ui/document/history.h"
#include "ui/document/label_tester.h"
#include "ui/document/note_book.h"
#include "ui/document/prompt_runner.h"
#include "ui/document/remembered.h"
#include "ui/document/selection.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace headscope::ui {

/// The one document behind the window: the open model, the prompt, the selection, the ablated heads
/// and the thresholds. It has the prompt run, the heads scored and their effects tested as these
/// change. Views observe it and ask it for changes; they never talk to each other. Lives on the GUI
/// thread.
class Document : public QObject {
    Q_OBJECT

public:
    explicit Document(ScoreHeads score = headscope::scoreHeads, QObject* parent = nullptr);

    // What is open. A failed load leaves everything as it was.
    /// With `prompt` the model starts on exactly that text; without, the prompt stays when the new
    /// model can express it and gives way to the model's default when not.
    void open(const QString& path, std::optional<QString> prompt = std::nullopt,
              const LoadOptions& options = {});
    /// The same with what a project says, which becomes none of the user's earlier prompts.
    void openForProject(const QString& path, const QString& prompt, BosMode bos,
                        const LoadOptions& options);
    /// Reads the open model again with its square weight matrices the other way round.
    void flipSquareMatrices();
    std::shared_ptr<const Model> model() const { return model_; }
    const LoadOptions& loadOptions() const { return load_options_; }
    JobRunner* loader() { return &loader_; }

    QString promptText() const { return prompt_text_; }
    void setPromptText(const QString& text);
    BosMode bosMode() const { return bos_mode_; }
    void setBosMode(BosMode mode);
    PromptRunner& promptRunner() { return prompt_runner_; }
    const PromptRunner& promptRunner() const { return prompt_runner_; }

    PromptHistory& promptHistory() { return prompt_history_; }
    const PromptHistory& promptHistory() const { return prompt_history_; }

    /// What was done, for a script that does it again.
    History& history() { return history_; }
    const History& history() const { return history_; }

    /// A second run beside that of the prompt.
    Comparison& comparison() { return comparison_; }
    const Comparison& comparison() const { return comparison_; }
    /// What maps of heads are drawn of: the prompt's run, that compared with it, or both.
    const PatternSource& shown() const { return shown_; }
    void showSide(Side side); ///< the locked row stays with its token

    /// The scores of the heads that a source shows; null: none, or they are not of its run.
    std::shared_ptr<const HeadScores> scoresOf(const PatternSource& source) const;
    /// Measures the scores on repeats and sentences again, after a cancelled or failed attempt.
    void scoreHeads();
    void setScoreSource(ScoreSource source);
    /// A set that was run through this model; its scores become a source.
    void setPromptSet(std::shared_ptr<const PromptSetResult> set);
    HeadScorer& headScorer() { return head_scorer_; }
    const HeadScorer& headScorer() const { return head_scorer_; }
    const Thresholds& thresholds() const { return thresholds_; }
    void setThresholds(const Thresholds& thresholds);
    void setThreshold(HeadTypeId type, double value);

    // The effect of ablating a head, by the ablation chosen, on what its types are read from.
    void testEffect(LayerHead head);
    void testAllEffects(); ///< of the heads that have a type
    EffectTester& effectTester() { return effect_tester_; }
    const EffectTester& effectTester() const { return effect_tester_; }

    /// What is measured of labels beyond their pattern.
    LabelTester& labelTester() { return label_tester_; }
    const LabelTester& labelTester() const { return label_tester_; }

    /// What the user says of heads.
    NoteBook& notes() { return notes_; }
    const NoteBook& notes() const { return notes_; }

    /// What the user looks at, in all views alike.
    Selection& selection() { return selection_; }
    const Selection& selection() const { return selection_; }

    /// Which heads are ablated; each change is run.
    Ablation& ablation() { return ablation_; }
    const Ablation& ablation() const { return ablation_; }

signals:
    void modelChanged();
    void loadFailed(const QString& path, const QString& message);
    void promptChanged(); ///< text or BOS
    void shownChanged();  ///< shown() is another
    void labelsChanged(); ///< what labels the heads: scores, their source or thresholds

private:
    /// What a model starts with.
    struct Start {
        std::optional<QString> prompt;
        LoadOptions options;
        std::optional<BosMode> bos_of_project = std::nullopt;
    };
    void load(const QString& path, Start start);
    void adopt(std::shared_ptr<const Model> model, const Start& start);
    RunQuestion runQuestion() const;
    void runPromptNow();
    void takeResult(bool other_tokens);
    void recordRun(const RunResult& result, const QString& what);
    void showSource();
    void selectTellingHead();
    void testEffects(const std::vector<LayerHead>& heads);
    void showLabels();

    std::shared_ptr<const Model> model_;
    LoadOptions load_options_; ///< with which it was read
    QString prompt_text_;
    QString own_prompt_; ///< the last one that the user wrote; empty: none
    BosMode bos_mode_ = BosMode::Auto;
    Thresholds thresholds_;
    PatternSource shown_;
    Selection selection_;
    Ablation ablation_;
    NoteBook notes_;
    PromptHistory prompt_history_;
    History history_;
    JobRunner loader_;
    PromptRunner prompt_runner_;
    std::shared_ptr<const PromptSetResult> prompt_set_; ///< null: none was run
    Comparison comparison_;
    HeadScorer head_scorer_;
    EffectTester effect_tester_;
    LabelTester label_tester_;
};

} // namespace headscope::ui

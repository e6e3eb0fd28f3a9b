#include "ui/document/document.h"

#include "core/export/run_calls.h"
#include "core/heads/head_type.h"
#include "core/heads/sequences.h"
#include "ui/document/repetition.h"
#include "ui/document/sample_models.h"
#include "ui/tables/head_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope::ui {
namespace {

/// Induction heads tell a newcomer most, sinks, heads that write little and types that say nothing
/// of what it looks for least; among equals the stronger one.
std::pair<int, double> interest(const HeadScore& score) {
    const TypeGroup group = headType(score.type).group;
    const bool induction = score.type == HeadTypeId::Induction;
    const bool idle = score.type == HeadTypeId::Sink || score.type == HeadTypeId::Dormant ||
                      score.type == HeadTypeId::WritesNothing;
    const bool quiet = idle || group == TypeGroup::Weights || group == TypeGroup::Spread;
    return {induction ? 2 : quiet ? 0 : 1, score.score};
}

} // namespace

Document::Document(ScoreHeads score, QObject* parent)
    : QObject(parent), head_scorer_(std::move(score)) {
    // First, so that all who hear of other labels find what is known of them.
    connect(this, &Document::labelsChanged, this, &Document::showLabels);
    connect(&ablation_, &Ablation::kindChanged, this, [this] { effect_tester_.forget(); });
    connect(&ablation_, &Ablation::maskChanged, this, &Document::runPromptNow);
    connect(&prompt_runner_, &PromptRunner::resultChanged, this, &Document::takeResult);
    connect(&comparison_, &Comparison::sourceChanged, this, &Document::showSource);
    connect(&comparison_.runner(), &PromptRunner::resultChanged, this, [this] {
        if (const auto result = comparison_.runner().result())
            recordRun(*result, tr("Ran prompt B"));
    });
    connect(effect_tester_.worker(), &JobRunner::busyChanged, this, [this](bool busy) {
        if (!busy && effect_tester_.effect(selection_.head()))
            history_.add(tr("Effect of ablating %1").arg(headName(selection_.head())),
                         repetitionOfEffect(*this));
    });
    connect(&label_tester_, &LabelTester::tested, this,
            [this] { history_.add(tr("Tested labels"), repetitionOfLabels(*this)); });
    connect(&head_scorer_, &HeadScorer::measured, this, &Document::selectTellingHead);
    connect(&head_scorer_, &HeadScorer::scoresChanged, this,
            [this] { effect_tester_.setSource(head_scorer_.effectiveSource()); });
    connect(&head_scorer_, &HeadScorer::scoresChanged, this, &Document::labelsChanged);
}

void Document::open(const QString& path, std::optional<QString> prompt,
                    const LoadOptions& options) {
    load(path, {std::move(prompt), options});
}

void Document::openForProject(const QString& path, const QString& prompt, BosMode bos,
                              const LoadOptions& options) {
    load(path, {prompt, options, bos});
}

void Document::load(const QString& path, Start start) {
    auto read = [file = path.toStdString(), options = start.options](const Progress& progress,
                                                                     std::stop_token stop) {
        return loadModel(file, options, progress, stop);
    };
    loader_.start(std::move(read), [this, path, start = std::move(start)](
                                       Result<std::shared_ptr<const Model>> loaded) {
        if (loaded && (*loaded)->spec.allHeads().empty())
            emit loadFailed(path, tr("All heads of this network were removed; there is no "
                                     "attention to look at."));
        else if (loaded)
            adopt(*std::move(loaded), start);
        else
            emit loadFailed(path, toQString(loaded.error().message));
    });
}

void Document::flipSquareMatrices() {
    if (model_)
        open(QString::fromStdString(model_->path.string()), prompt_text_,
             {.flip_square_matrices = !load_options_.flip_square_matrices});
}

void Document::adopt(std::shared_ptr<const Model> model, const Start& start) {
    const std::optional<QString>& prompt = start.prompt;
    const bool prompt_was_default = model_ && prompt_text_ == defaultPrompt(*model_);
    model_ = std::move(model);
    load_options_ = start.options;
    bos_mode_ = start.bos_of_project.value_or(bos_mode_);
    if (!model_->spec.bos_token)
        bos_mode_ = BosMode::Auto;
    if (prompt)
        prompt_text_ = *prompt;
    else if (!own_prompt_.isEmpty() &&
             promptFromInput(*model_, own_prompt_.toStdString(), bos_mode_))
        prompt_text_ = own_prompt_;
    else if (prompt_text_.isEmpty() || prompt_was_default ||
             !promptFromInput(*model_, prompt_text_.toStdString(), bos_mode_))
        prompt_text_ = defaultPrompt(*model_);

    if (prompt && *prompt != defaultPrompt(*model_))
        own_prompt_ = *prompt;

    history_.add(tr("Opened %1").arg(toQString(model_->name)), Calls());
    if (!start.bos_of_project)
        prompt_history_.follow(prompt_text_);
    notes_.setModel(model_->sha256);
    prompt_runner_.forget();
    head_scorer_.forget();
    showLabels();
    prompt_set_.reset();
    selection_.setModel(model_);
    ablation_.setModel(model_);
    comparison_.setA(nullptr);
    showSource();
    emit modelChanged();
    emit promptChanged();
    selection_.announce();
    ablation_.announce();
    effect_tester_.forget();
    scoreHeads();
    runPromptNow();
}

RunQuestion Document::runQuestion() const {
    return {model_,    prompt_text_.toStdString(),
            bos_mode_, ablation_.mask(),
            nullptr,   head_scorer_.effectiveSource() == ScoreSource::Prompt};
}

void Document::runPromptNow() {
    prompt_runner_.run(runQuestion());
    comparison_.follow(runQuestion(), false);
}

void Document::setPromptText(const QString& text) {
    if (text == prompt_text_)
        return;
    prompt_text_ = text;
    emit promptChanged();
    if (!model_)
        return;
    own_prompt_ = text == defaultPrompt(*model_) ? QString() : text;
    prompt_history_.follow(text);
    prompt_runner_.runAfterPause(runQuestion());
    comparison_.follow(runQuestion(), true);
}

void Document::setBosMode(BosMode mode) {
    if (mode == bos_mode_)
        return;
    bos_mode_ = mode;
    emit promptChanged();
    if (model_)
        runPromptNow();
}

void Document::takeResult(bool other_tokens) {
    const auto result = prompt_runner_.result();
    if (other_tokens)
        effect_tester_.forget(ScoreSource::Prompt);
    comparison_.setA(result);
    showSource();
    head_scorer_.setPromptRun(result);
    recordRun(*result, tr("Ran the prompt"));
}

void Document::recordRun(const RunResult& result, const QString& what) {
    const QString heads = toQString(result.mask.text());
    history_.addRun(heads.isEmpty() ? what : tr("%1 with %2 ablated").arg(what, heads),
                    repetitionOf(runCall(loadedModel(*this, result), result.prompt, result.mask)));
}

void Document::showSource() {
    PatternSource source = comparison_.source();
    if (!source.side)
        source = {prompt_runner_.result(), nullptr, nullptr,
                  comparison_.isOn() ? std::optional(Side::A) : std::nullopt};
    if (source == shown_)
        return;
    const auto rows = [](const PatternSource& of) {
        return of.result ? of.result->prompt.ids.size() : 0;
    };
    const bool other_rows = rows(source) != rows(shown_);
    shown_ = std::move(source);
    if (other_rows)
        selection_.lockRow(std::nullopt);
    emit shownChanged();
}

void Document::showSide(Side side) {
    const auto of_a = comparison_.positionInA(selection_.lockedRow());
    const auto of_b = comparison_.positionInB(selection_.lockedRow());
    comparison_.setSide(side);
    selection_.lockRow(side == Side::B ? of_b : of_a);
}

std::shared_ptr<const HeadScores> Document::scoresOf(const PatternSource& source) const {
    const bool is_own =
        source.side != Side::B || (head_scorer_.effectiveSource() != ScoreSource::Prompt &&
                                   source.result && source.result->full->model == model_);
    return is_own ? head_scorer_.scores() : nullptr;
}

void Document::scoreHeads() {
    if (model_)
        head_scorer_.measure(model_);
}

void Document::setPromptSet(std::shared_ptr<const PromptSetResult> set) {
    prompt_set_ = std::move(set);
    effect_tester_.forget(ScoreSource::PromptSet);
    head_scorer_.setPromptSetScores(
        std::shared_ptr<const HeadScores>(prompt_set_, &prompt_set_->scores));
}

void Document::setScoreSource(ScoreSource source) {
    head_scorer_.setSource(source);
}

void Document::setThresholds(const Thresholds& thresholds) {
    thresholds_ = thresholds;
    emit labelsChanged();
}

void Document::setThreshold(HeadTypeId type, double value) {
    thresholds_.set(type, value);
    emit labelsChanged();
}

void Document::selectTellingHead() {
    const HeadScore* best = nullptr;
    const auto measured = head_scorer_.measuredScores();
    for (const HeadScore& score : measured->scores) {
        const bool labelled = score.score >= thresholds_.of(score.type);
        if (labelled && (!best || interest(score) > interest(*best)))
            best = &score;
    }
    if (best)
        selection_.suggest(best->head);
}

void Document::showLabels() {
    const bool is_by_definition = head_scorer_.effectiveSource() == ScoreSource::RandomRepeats;
    QString refusal;
    if (!is_by_definition)
        refusal = tr("Labels are tested on what their types are defined by: choose “Types from "
                     "Repeats and Sentences”.");
    else if (head_scorer_.isMeasuring())
        refusal = tr("The types are still being measured.");
    else if (model_ && !model_->spec.cannot_run.empty())
        refusal = tr("The model does not run, so no head can be ablated.");
    label_tester_.show({model_, load_options_.flip_square_matrices, head_scorer_.scores(),
                        is_by_definition, thresholds_, std::move(refusal)});
}

void Document::testEffect(LayerHead head) {
    testEffects({head});
}

void Document::testAllEffects() {
    const auto scores = head_scorer_.scores();
    if (!scores)
        return;
    std::vector<LayerHead> heads;
    for (const LayerHead head : scores->heads)
        if (!labels(*scores, head, thresholds_).empty())
            heads.push_back(head);
    testEffects(heads);
}

void Document::testEffects(const std::vector<LayerHead>& heads) {
    const auto scores = head_scorer_.scores();
    if (!model_ || !scores)
        return;
    std::vector<InputSequence> sequences;
    const ScoreSource source = head_scorer_.effectiveSource();
    effect_tester_.setSource(source);
    if (source == ScoreSource::Prompt) {
        const Prompt& own = prompt_runner_.result()->prompt;
        sequences = {{own.ids, own.has_bos}};
    }
    if (source == ScoreSource::PromptSet)
        sequences = promptSequences(prompt_set_->set.prompts);
    std::vector<AblationEffectQuestion> questions;
    questions.reserve(heads.size());
    for (const LayerHead head : heads) {
        if (sequences.empty())
            std::ranges::copy(effectQuestions(*scores, head, thresholds_),
                              std::back_inserter(questions));
        else
            questions.push_back(effectQuestion(*scores, head, thresholds_));
    }
    const EffectSettings& settings = effect_tester_.settings();
    for (AblationEffectQuestion& question : questions) {
        question.kind = ablation_.kind();
        question.least_effect = settings.least_effect;
        question.backups = settings.backups && heads.size() == 1;
    }
    effect_tester_.test(model_, std::move(questions), std::move(sequences));
}

} // namespace headscope::ui

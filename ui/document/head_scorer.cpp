#include "ui/document/head_scorer.h"

#include "ui/tables/head_text.h"

#include <utility>

namespace headscope::ui {

HeadScorer::HeadScorer(ScoreHeads score, QObject* parent)
    : QObject(parent), score_(std::move(score)) {
    connect(&worker_, &JobRunner::busyChanged, this, &HeadScorer::scoresChanged);
    connect(&prompt_reader_, &JobRunner::busyChanged, this, &HeadScorer::scoresChanged);
}

void HeadScorer::measure(const std::shared_ptr<const Model>& model) {
    readPromptIfAsked();
    worker_.startInParts<HeadScores>(
        [model, score = score_](const Progress& progress, const std::stop_token& stop,
                                const PartialScores& publish) {
            return score(model, {}, progress, stop, publish);
        },
        [this](const HeadScores& part) { takePart(part); },
        [this](const Result<HeadScores>& scores) { takeAll(scores); });
}

void HeadScorer::setPromptRun(std::shared_ptr<const RunResult> run) {
    prompt_reader_.cancel();
    prompt_run_ = std::move(run);
    of_prompt_ = prompt_run_->prompt_scores;
    readPromptIfAsked();
    if (effectiveSource() == ScoreSource::Prompt)
        emit scoresChanged();
}

void HeadScorer::readPromptIfAsked() {
    if (effectiveSource() != ScoreSource::Prompt || !prompt_run_ || of_prompt_ ||
        prompt_reader_.isBusy())
        return;
    prompt_reader_.start(
        [run = prompt_run_](const Progress&, const std::stop_token& stop) {
            return readPromptScores(*run, stop);
        },
        [this](const Result<HeadScores>& scores) {
            if (scores)
                of_prompt_ = std::make_shared<HeadScores>(*scores);
            emit scoresChanged();
        });
}

bool HeadScorer::isMeasuring() const {
    return effectiveSource() == ScoreSource::Prompt ? prompt_reader_.isBusy() : worker_.isBusy();
}

void HeadScorer::setPromptSetScores(std::shared_ptr<const HeadScores> scores) {
    of_prompt_set_ = std::move(scores);
    emit scoresChanged();
}

void HeadScorer::forget() {
    prompt_reader_.cancel();
    measured_.reset();
    prompt_run_.reset();
    of_prompt_.reset();
    of_prompt_set_.reset();
    error_.clear();
}

ScoreSource HeadScorer::effectiveSource() const {
    const bool is_of_set = source_ == ScoreSource::PromptSet;
    if (is_of_set && of_prompt_set_)
        return source_;
    return !error_.isEmpty() ? ScoreSource::Prompt
           : is_of_set       ? ScoreSource::RandomRepeats
                             : source_;
}

void HeadScorer::setSource(ScoreSource source) {
    source_ = source;
    readPromptIfAsked();
    emit scoresChanged();
}

std::shared_ptr<const HeadScores> HeadScorer::scores() const {
    switch (effectiveSource()) {
    case ScoreSource::RandomRepeats:
        return measured_;
    case ScoreSource::Prompt:
        return of_prompt_;
    case ScoreSource::PromptSet:
        break;
    }
    return of_prompt_set_;
}

void HeadScorer::takePart(const HeadScores& part) {
    if (measured_ && measured_->types.size() >= part.types.size())
        return;
    measured_ = std::make_shared<HeadScores>(part);
    emit measured();
    emit scoresChanged();
}

void HeadScorer::takeAll(const Result<HeadScores>& scores) {
    if (scores) {
        measured_ = std::make_shared<HeadScores>(*scores);
        error_.clear();
        emit measured();
    } else {
        error_ = toQString(scores.error().message);
        readPromptIfAsked();
    }
    emit scoresChanged();
}

} // namespace headscope::ui

#include "ui/document/prompt_runner.h"

#include "ui/tables/head_text.h"

#include <chrono>
#include <utility>

namespace headscope::ui {
namespace {

constexpr std::chrono::milliseconds kTypingPause{30};
constexpr std::chrono::milliseconds kPatience{200};

} // namespace

PromptRunner::PromptRunner(QObject* parent) : QObject(parent) {
    pause_.setSingleShot(true);
    pause_.setInterval(kTypingPause);
    connect(&pause_, &QTimer::timeout, this, &PromptRunner::start);
    late_.setSingleShot(true);
    late_.setInterval(kPatience);
    connect(&late_, &QTimer::timeout, this, [this] { setCurrent(false); });
}

void PromptRunner::run(RunQuestion question) {
    question_ = std::move(question);
    expectAnswer();
    start();
}

void PromptRunner::runAfterPause(RunQuestion question) {
    question_ = std::move(question);
    expectAnswer();
    pause_.start();
}

void PromptRunner::expectAnswer() {
    if (is_current_ && !late_.isActive())
        late_.start();
}

void PromptRunner::setCurrent(bool current) {
    late_.stop();
    if (std::exchange(is_current_, current) != current)
        emit currentChanged();
}

void PromptRunner::forget() {
    pause_.stop();
    worker_.cancel();
    result_.reset();
    error_.clear();
    setCurrent(true);
}

void PromptRunner::start() {
    pause_.stop();
    question_.previous = result_;
    worker_.start(
        [question = question_](const Progress& progress, const std::stop_token& stop) {
            return runPrompt(question, stop, progress);
        },
        [this](const Result<std::shared_ptr<const RunResult>>& result) { take(result); });
}

void PromptRunner::take(const Result<std::shared_ptr<const RunResult>>& result) {
    if (!result) {
        if (result.error().code == ErrorCode::Cancelled)
            return;
        error_ = toQString(result.error().message);
        emit errorChanged();
        setCurrent(false);
        return;
    }
    error_.clear();
    const bool other_tokens = !result_ || result_->prompt.ids != (*result)->prompt.ids;
    result_ = *result;
    emit errorChanged();
    emit resultChanged(other_tokens);
    setCurrent(true);
}

} // namespace headscope::ui

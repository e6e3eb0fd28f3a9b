#include "ui/document/prompt_set_run.h"

#include "core/datasets/indirect_object.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

constexpr std::size_t kMadePrompts = 120;

Result<PromptSet> setOf(const Model& model, const PromptSetText& text, BosMode bos) {
    if (text.lines)
        return readPromptSet(model, *text.lines, text.name, bos);
    const auto made = indirectObjectPrompts(model, kMadePrompts, 0, bos);
    if (!made)
        return made.error();
    std::string lines;
    for (const IndirectObjectPrompt& prompt : *made)
        lines += prompt.text + '\n';
    return readPromptSet(model, lines, text.name, bos);
}

} // namespace

/// The set comes first, and then what came of some prompts after another.
struct PromptSetRun::Part {
    std::optional<PromptSetResult> begun = {};
    std::vector<PromptOutcome> outcomes = {};
};

PromptSetRun::PromptSetRun(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
    connect(&document_, &Document::modelChanged, this, &PromptSetRun::forget);
    connect(&document_, &Document::maskChanged, this, &PromptSetRun::changed);
    connect(&worker_, &JobRunner::busyChanged, this, &PromptSetRun::changed);
}

void PromptSetRun::forget() {
    worker_.cancel();
    result_.reset();
    is_whole_ = false;
    error_.clear();
    emit changed();
}

bool PromptSetRun::isStale() const {
    return result_ && result_->mask != document_.mask();
}

void PromptSetRun::run(PromptSetText text) {
    forget();
    worker_.startInParts<Part>(
        [model = document_.model(), text = std::move(text), bos = document_.bosMode(),
         mask = document_.mask()](const Progress& progress, const std::stop_token& stop,
                                  const auto& publish) -> Result<PromptSetResult> {
            auto set = setOf(*model, text, bos);
            if (!set)
                return set.error();
            publish(Part{.begun = PromptSetResult{model, *set, mask, {}, {}}});
            return runPromptSet(model, *std::move(set), mask, progress, stop,
                                [&](std::size_t, std::span<const PromptOutcome> outcomes) {
                                    publish(Part{.outcomes = {outcomes.begin(), outcomes.end()}});
                                });
        },
        [this](const Part& part) { take(part); },
        [this](const Result<PromptSetResult>& result) { finish(result); });
}

void PromptSetRun::take(const Part& part) {
    if (part.begun)
        result_ = std::make_shared<PromptSetResult>(*part.begun);
    result_->outcomes.insert(result_->outcomes.end(), part.outcomes.begin(), part.outcomes.end());
    emit changed();
}

void PromptSetRun::finish(const Result<PromptSetResult>& result) {
    if (result) {
        result_ = std::make_shared<PromptSetResult>(*result);
        is_whole_ = true;
        document_.setPromptSet(result_);
    } else if (result.error().code != ErrorCode::Cancelled) {
        error_ = toQString(result.error().message);
    }
    emit changed();
}

} // namespace headscope::ui

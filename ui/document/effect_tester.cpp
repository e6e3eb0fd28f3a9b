#include "ui/document/effect_tester.h"

#include "ui/tables/head_text.h"

#include <utility>

namespace headscope::ui {

EffectTester::EffectTester(QObject* parent) : QObject(parent) {
    connect(&worker_, &JobRunner::busyChanged, this, &EffectTester::effectsChanged);
}

void EffectTester::setSource(ScoreSource source) {
    if (source == source_)
        return;
    source_ = source;
    emit effectsChanged();
}

void EffectTester::test(const std::shared_ptr<const Model>& model,
                        std::vector<AblationEffectQuestion> questions,
                        std::vector<InputSequence> prompt) {
    tested_ = source_;
    worker_.startInParts<AblationEffect>(
        [model, questions = std::move(questions), prompt = std::move(prompt)](
            const Progress& progress, const std::stop_token& stop, const PublishEffect& publish) {
            return ablationEffects(model, questions, prompt, {}, progress, stop, publish);
        },
        [this](const AblationEffect& effect) {
            effects_[tested_].insert_or_assign(effect.question.head, effect);
            emit effectsChanged();
        },
        [this](const Result<std::vector<AblationEffect>>& results) {
            error_ = results ? QString() : toQString(results.error().message);
            emit effectsChanged();
        });
}

void EffectTester::forget() {
    worker_.cancel();
    effects_.clear();
    error_.clear();
    emit effectsChanged();
}

void EffectTester::forget(ScoreSource source) {
    const bool is_tested = worker_.isBusy() && tested_ == source;
    if (is_tested)
        worker_.cancel();
    const bool was_measured = effects_.erase(source) > 0;
    if (!is_tested && !was_measured && error_.isEmpty())
        return; // as with every key press in the prompt
    error_.clear();
    emit effectsChanged();
}

const AblationEffect* EffectTester::effect(LayerHead head) const {
    const auto of_source = effects_.find(source_);
    if (of_source == effects_.end())
        return nullptr;
    const auto found = of_source->second.find(head);
    return found == of_source->second.end() ? nullptr : &found->second;
}

} // namespace headscope::ui

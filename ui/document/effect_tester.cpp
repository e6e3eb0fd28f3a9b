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
    renewed_.clear();
    worker_.startInParts<AblationEffect>(
        [model, questions = std::move(questions), prompt = std::move(prompt)](
            const Progress& progress, const std::stop_token& stop, const PublishEffect& publish) {
            return ablationEffects(model, questions, prompt, {}, progress, stop, publish);
        },
        [this](const AblationEffect& effect) {
            const LayerHead head = effect.question.head;
            std::vector<AblationEffect>& of_head = effects_[tested_][head];
            if (renewed_.insert(head).second)
                of_head.clear();
            of_head.push_back(effect);
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

void EffectTester::setSettings(const EffectSettings& settings) {
    const bool is_other = settings.least_effect != settings_.least_effect;
    settings_ = settings;
    if (is_other)
        forget();
}

std::span<const AblationEffect> EffectTester::effects(LayerHead head) const {
    const auto of_source = effects_.find(source_);
    if (of_source == effects_.end())
        return {};
    const auto found = of_source->second.find(head);
    return found == of_source->second.end() ? std::span<const AblationEffect>() : found->second;
}

const AblationEffect* EffectTester::effect(LayerHead head) const {
    const std::span<const AblationEffect> of_head = effects(head);
    return of_head.empty() ? nullptr : &of_head.front();
}

} // namespace headscope::ui

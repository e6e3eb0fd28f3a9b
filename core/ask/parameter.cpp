#include "core/ask/parameter.h"

#include "core/engine/head_mask.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/metric.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headscope {

namespace {

AnalysisParameter single(ParameterType type, std::string key, std::string meaning) {
    AnalysisParameter parameter{type};
    parameter.key = std::move(key);
    parameter.meaning = std::move(meaning);
    return parameter;
}

AnalysisParameter single(ParameterType type, std::string key, std::string meaning,
                         Given by_default) {
    AnalysisParameter parameter = single(type, std::move(key), std::move(meaning));
    parameter.by_default = std::move(by_default);
    return parameter;
}

} // namespace

std::vector<std::string> bosChoices() {
    return {"auto", "yes", "no"};
}

std::vector<std::string> metricChoices() {
    return names(std::array{MetricKind::Loss, MetricKind::LogitDifference, MetricKind::Probability,
                            MetricKind::Kl},
                 metricName);
}

std::vector<std::string> ablationChoices() {
    return names(std::array{AblationKind::Zero, AblationKind::Mean}, ablationKindName);
}

std::vector<std::string> replacementChoices() {
    return names(std::array{ReplacedBy{AblationKind::Zero}, ReplacedBy{AblationKind::Mean},
                            ReplacedBy{AblationKind::Resample},
                            ReplacedBy{AblationKind::Zero, true}},
                 replacementName);
}

std::vector<std::string> methodChoices() {
    return names(std::array{EffectMethod::Exact, EffectMethod::Gradient}, effectMethodName);
}

AnalysisParameter askPrompt() {
    return {ParameterType::Prompt};
}

AnalysisParameter askPrompts(std::string what_is_done) {
    return single(ParameterType::Prompts, {}, std::move(what_is_done));
}

AnalysisParameter askPromptPair() {
    return {ParameterType::PromptPair};
}

AnalysisParameter askMetric() {
    return {ParameterType::Metric};
}

AnalysisParameter askAblation() {
    return {ParameterType::Ablation};
}

AnalysisParameter askToken(std::string key, std::string meaning) {
    return single(ParameterType::Token, std::move(key), std::move(meaning));
}

AnalysisParameter askHead(std::string key, std::string meaning) {
    return single(ParameterType::Head, std::move(key), std::move(meaning));
}

AnalysisParameter askHeads(std::string key, std::string meaning) {
    return single(ParameterType::Heads, std::move(key), std::move(meaning), std::string());
}

AnalysisParameter askEntry(std::string key, std::string meaning) {
    return single(ParameterType::Entry, std::move(key), std::move(meaning));
}

AnalysisParameter askChoice(std::string key, std::vector<std::string> choices,
                            std::string by_default, std::string meaning) {
    AnalysisParameter parameter =
        single(ParameterType::Choice, std::move(key), std::move(meaning), std::move(by_default));
    parameter.choices = std::move(choices);
    return parameter;
}

AnalysisParameter askMethod(std::string meaning) {
    return askChoice("method", methodChoices(), methodChoices().front(), std::move(meaning));
}

AnalysisParameter askChoices(std::string key, std::vector<std::string> choices,
                             std::string meaning) {
    AnalysisParameter parameter =
        single(ParameterType::Choices, std::move(key), std::move(meaning));
    parameter.choices = std::move(choices);
    return parameter;
}

AnalysisParameter askCount(std::string key, std::uint64_t by_default, std::string meaning) {
    return single(ParameterType::Count, std::move(key), std::move(meaning), by_default);
}

AnalysisParameter askCounts(std::string key, std::string meaning) {
    return single(ParameterType::Counts, std::move(key), std::move(meaning));
}

AnalysisParameter askNumber(std::string key, double by_default, std::string meaning) {
    return single(ParameterType::Number, std::move(key), std::move(meaning), by_default);
}

AnalysisParameter askFlag(std::string key, std::string meaning) {
    return single(ParameterType::Flag, std::move(key), std::move(meaning), false);
}

AnalysisParameter askText(std::string key, std::string meaning) {
    return single(ParameterType::Text, std::move(key), std::move(meaning));
}

AnalysisParameter askTexts(std::string key, std::string meaning) {
    return single(ParameterType::Texts, std::move(key), std::move(meaning));
}

AnalysisParameter askTexts(std::string key, std::string value_names, std::string meaning) {
    AnalysisParameter parameter = askTexts(std::move(key), std::move(meaning));
    parameter.expected = static_cast<int>(std::ranges::count(value_names, ' ')) + 1;
    parameter.value_names = std::move(value_names);
    return parameter;
}

AnalysisParameter askFile(std::string key, std::string meaning) {
    return single(ParameterType::File, std::move(key), std::move(meaning));
}

AnalysisParameter askPosition(std::string key, std::string meaning) {
    return single(ParameterType::Position, std::move(key), std::move(meaning));
}

AnalysisParameter between(double least, double most, AnalysisParameter parameter) {
    parameter.least = least;
    parameter.most = most;
    return parameter;
}

AnalysisParameter required(AnalysisParameter parameter) {
    parameter.is_required = true;
    return parameter;
}

AnalysisParameter withoutDefault(AnalysisParameter parameter) {
    parameter.by_default.reset();
    return parameter;
}

AnalysisParameter withDefault(Given by_default, AnalysisParameter parameter) {
    parameter.by_default = std::move(by_default);
    return parameter;
}

AnalysisParameter positional(AnalysisParameter parameter) {
    parameter.is_positional = true;
    return parameter;
}

AnalysisParameter beside(std::string flag, AnalysisParameter parameter) {
    parameter.needs = std::move(flag);
    return parameter;
}

} // namespace headscope

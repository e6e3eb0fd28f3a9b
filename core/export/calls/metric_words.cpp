#include "core/export/calls/metric_words.h"

#include "core/export/calls/python_text.h"

namespace headscope {

namespace {

bool readsTokens(const Metric& metric) {
    return metric.kind == MetricKind::LogitDifference || metric.kind == MetricKind::Probability;
}

} // namespace

void addPromptPair(CallDraft& draft, const Prompt& clean, const Prompt& corrupted) {
    draft.considerPrompt(clean);
    draft.considerPrompt(corrupted);
    draft.promptBy("--clean", clean);
    draft.promptBy("--corrupted", corrupted);
    draft.argument(draft.pythonPrompt(clean));
    draft.argument(draft.pythonPrompt(corrupted));
    if (draft.areIds())
        draft.flag("--as-ids");
    draft.bosOf(clean);
}

void considerMetric(CallDraft& draft, const Metric& metric) {
    if (!readsTokens(metric))
        return;
    draft.considerToken(metric.token);
    if (metric.kind == MetricKind::LogitDifference)
        draft.considerToken(metric.other);
}

Result<void> addMetric(CallDraft& draft, const Metric& metric) {
    if (!metric.targets.empty())
        return Error{ErrorCode::Unsupported,
                     "No command names what several positions should predict."};
    draft.option("--metric", std::string(metricName(metric.kind)));
    draft.keyword("metric", pythonText(metricName(metric.kind)));
    if (metric.kind == MetricKind::LogitDifference) {
        // Each by itself, so that none that begins with a hyphen is taken for an option.
        draft.option("--tokens", draft.tokenWord(metric.token));
        draft.option("--tokens", draft.tokenWord(metric.other));
        draft.keyword("tokens", '[' + draft.pythonToken(metric.token) + ", " +
                                    draft.pythonToken(metric.other) + ']');
    }
    if (metric.kind == MetricKind::Probability) {
        draft.option("--target", draft.tokenWord(metric.token));
        draft.keyword("target", draft.pythonToken(metric.token));
    }
    if (metric.position) {
        draft.option("--position", *metric.position);
        draft.keyword("position", std::to_string(*metric.position));
    }
    return {};
}

std::string blockHookName(const ModelSpec& spec, HookKind kind) {
    const std::string name = hookName(spec, {kind, 0});
    constexpr std::string_view block = "blocks.0.";
    return name.starts_with(block) ? name.substr(block.size()) : name;
}

} // namespace headscope

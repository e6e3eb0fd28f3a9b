#include "core/interventions/metric_words.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <array>

namespace headscope {

namespace {

Result<MetricKind> kindNamed(const std::string& name) {
    constexpr std::array kKinds{MetricKind::Loss, MetricKind::LogitDifference,
                                MetricKind::Probability, MetricKind::Kl};
    const auto* const found = std::ranges::find(kKinds, name, metricName);
    if (found == kKinds.end())
        return Error{ErrorCode::InvalidArgument, "\"" + name +
                                                     "\" is no metric; it is one of loss, "
                                                     "logit-diff, probability and kl."};
    return *found;
}

Result<void> checkTokens(const MetricWords& words, MetricKind kind) {
    const auto refuse = [](const char* sentence) {
        return Error{ErrorCode::InvalidArgument, sentence};
    };
    if ((kind == MetricKind::LogitDifference) != (words.tokens.size() == 2))
        return refuse("The two tokens whose logits are compared belong to the metric logit-diff, "
                      "which needs them.");
    if (kind == MetricKind::Probability && !words.target)
        return refuse("The metric probability needs its target, a token.");
    if (words.target && kind != MetricKind::Probability && kind != MetricKind::Loss)
        return refuse("A target belongs to the metrics probability and loss.");
    return {};
}

} // namespace

bool namesMetric(const MetricWords& words) {
    return words.kind != MetricWords{}.kind || !words.tokens.empty() || words.target ||
           words.position;
}

Result<TokenId> readToken(const Model& model, const std::string& text, bool as_ids) {
    if (as_ids && !model.spec.predictsClasses()) {
        const auto id = parseNumber<TokenId>(text);
        if (!id)
            return Error{ErrorCode::InvalidArgument,
                         "\"" + text + "\" is no token id, and the prompt is given by ids."};
        return *id;
    }
    return outputFromText(model, text);
}

Result<Metric> readMetric(const Model& model, const MetricWords& words, const TokenIds& prompt,
                          bool as_ids) {
    const auto kind = kindNamed(words.kind);
    if (!kind)
        return kind.error();
    if (auto checked = checkTokens(words, *kind); !checked)
        return checked.error();
    Metric metric;
    metric.kind = *kind;
    metric.position = words.position;
    std::vector<std::string> texts = words.tokens;
    if (words.target)
        texts = {*words.target};
    TokenIds tokens;
    for (const std::string& text : texts) {
        const auto token = readToken(model, text, as_ids);
        if (!token)
            return token.error();
        tokens.push_back(*token);
    }
    if (metric.kind == MetricKind::Loss && words.target) {
        const auto position = words.position ? Result<std::size_t>(*words.position)
                                             : predictingPosition(model.spec, prompt);
        if (!position)
            return position.error();
        metric.targets = {{*position, tokens.front()}};
        return metric;
    }
    if (!tokens.empty()) {
        metric.token = tokens.front();
        metric.other = tokens.back();
    }
    return metric;
}

} // namespace headscope

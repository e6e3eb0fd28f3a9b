#include "app/cli/metric_options.h"

#include "app/cli/command.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>

#include <map>

namespace headscope::cli {

namespace {

const std::map<std::string, MetricKind>& metricKinds() {
    static const std::map<std::string, MetricKind> kinds = [] {
        std::map<std::string, MetricKind> by_name;
        for (const MetricKind kind : {MetricKind::Loss, MetricKind::LogitDifference,
                                      MetricKind::Probability, MetricKind::Kl})
            by_name.emplace(metricName(kind), kind);
        return by_name;
    }();
    return kinds;
}

MetricKind kindOf(const MetricOptions& options) {
    return metricKinds().at(options.kind);
}

} // namespace

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

void addMetricOptions(CLI::App& app, MetricOptions& options) {
    app.add_option("--metric", options.kind,
                   "What is measured: loss, logit-diff, probability or kl (to the whole network)")
        ->check(CLI::IsMember(metricKinds()))
        ->capture_default_str();
    app.add_option("--tokens", options.tokens,
                   "For logit-diff: the token and the one whose logit is subtracted")
        ->expected(2);
    app.add_option("--target", options.target,
                   "For probability: the token. For the loss of a bidirectional network: the "
                   "token it should predict. Where the logits are of classes: the number of one");
    app.add_option("--position", options.position,
                   "The position where the metric is read. By default logit-diff and probability "
                   "are read at the last position (or the mask token), loss and kl at all");
}

void checkMetricUsage(const MetricOptions& options) {
    const MetricKind kind = kindOf(options);
    if ((kind == MetricKind::LogitDifference) != (options.tokens.size() == 2))
        refuseUsage("--tokens A B belongs to --metric logit-diff, which needs it.");
    if (kind == MetricKind::Probability && !options.target)
        refuseUsage("--metric probability needs --target TOKEN.");
    if (options.target && kind != MetricKind::Probability && kind != MetricKind::Loss)
        refuseUsage("--target belongs to --metric probability and loss.");
}

Result<Metric> readMetric(const Model& model, const MetricOptions& options, const TokenIds& prompt,
                          bool as_ids) {
    Metric metric;
    metric.kind = kindOf(options);
    metric.position = options.position;
    std::vector<std::string> texts = options.tokens;
    if (options.target)
        texts = {*options.target};
    TokenIds tokens;
    for (const std::string& text : texts) {
        const auto token = readToken(model, text, as_ids);
        if (!token)
            return token.error();
        tokens.push_back(*token);
    }
    if (metric.kind == MetricKind::Loss && options.target) {
        const auto position = options.position ? Result<std::size_t>(*options.position)
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

} // namespace headscope::cli

#include "app/cli/metric_options.h"

#include "app/cli/command.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

void addMetricOptions(CLI::App& app, MetricWords& options) {
    app.add_option("--metric", options.kind,
                   "What is measured: loss, logit-diff, probability or kl (from the whole model)")
        ->check(CLI::IsMember({"loss", "logit-diff", "probability", "kl"}))
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

void checkMetricUsage(const MetricWords& options) {
    if ((options.kind == "logit-diff") != (options.tokens.size() == 2))
        refuseUsage("--tokens A B belongs to --metric logit-diff, which needs it.");
    if (options.kind == "probability" && !options.target)
        refuseUsage("--metric probability needs --target TOKEN.");
    if (options.target && options.kind != "probability" && options.kind != "loss")
        refuseUsage("--target belongs to --metric probability and loss.");
}

} // namespace headscope::cli

#include "app/cli/common_options.h"

#include "app/cli/command.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "core/ask/parameter.h"
#include "core/base/text.h"
#include "core/loading/load_model.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace headscope::cli {

CLI::Option* addModelOption(CLI::App& app, ModelChoice& choice) {
    choice.command = &app;
    app.add_flag("--flip-square", choice.load.flip_square_matrices,
                 "Read square weight matrices transposed, compared with what 'info' says");
    app.add_flag(
        "--transpose-heads", choice.load.transpose_heads,
        "Read the matrices of single heads as [head, d_head, d_model] (old TransformerLens "
        "files), where d_head is d_model and no shape tells it");
    return app
        .add_option("MODEL", choice.path,
                    "Weight file (.h5, .safetensors, .gguf, .keras), index of shards, or folder")
        ->type_name(kFileType)
        ->required();
}

void requireModel(const CLI::App& app, const ModelChoice& choice) {
    if (choice.path.empty() && app.get_subcommands().empty())
        refuseUsage("MODEL is required.");
}

Result<std::shared_ptr<const Model>> openModel(const ModelChoice& choice) {
    const ProgressLine line;
    auto model = loadModel(choice.path, choice.load, line.progress());
    if (model && choice.command != nullptr)
        if (auto checked = checkOutputsAreNotInUse(*choice.command); !checked)
            return checked.error();
    return model;
}

Result<std::shared_ptr<const Model>> openRunnable(const ModelChoice& choice) {
    auto model = openModel(choice);
    if (model)
        if (auto runnable = checkRunnable(**model); !runnable)
            return runnable.error();
    return model;
}

void addAblationOptions(CLI::App& app, AblationOptions& options) {
    app.add_option("--ablate", options.heads, "The heads to ablate: 4.1,4.2");
    app.add_option("--ablation", options.kind,
                   "What replaces the output of ablated heads: zero or mean")
        ->check(CLI::IsMember(ablationChoices()))
        ->capture_default_str();
}

void takeTogether(CLI::Option& option, const std::string& value_names, int count) {
    // Otherwise "[SEP]" would be a list, and "-" after it an option.
    option.type_size(count)->expected(1)->allow_extra_args(false)->type_name(value_names);
}

namespace {

/// What a schema is made of, too (mcp/tools.cpp).
std::string boundsText(double least, double most, bool is_whole) {
    if (std::isfinite(most))
        return std::string(is_whole ? "UINT" : "FLOAT") + " in [" + numberText(least) + " - " +
               numberText(most) + ']';
    return least > 0.0 ? "POSITIVE" : "NONNEGATIVE";
}

} // namespace

void checkBounds(CLI::Option& option, double least, double most) {
    const bool is_whole = option.get_type_name().starts_with("UINT");
    const auto check = [name = option.get_name(), least, most](const std::string& word) {
        double value = 0.0;
        if (!CLI::detail::lexical_cast(word, value) ||
            (value >= least && value <= most && std::isfinite(value)))
            return std::string(); // what is no number is told when it is read
        const bool is_small = !(value >= least);
        const bool is_any = !is_small && !std::isfinite(most);
        refuseUsage(name + " must be " +
                    (is_any     ? "a finite number"
                     : is_small ? "at least " + numberText(least)
                                : "at most " + numberText(most)) +
                    ", not " + word + '.');
    };
    option.check(CLI::Validator(check, boundsText(least, most, is_whole)));
}

void addMetricOptions(CLI::App& app, MetricWords& options) {
    app.add_option("--metric", options.kind,
                   "What is measured: loss, logit-diff, probability or kl (from the whole model)")
        ->check(CLI::IsMember(metricChoices()))
        ->capture_default_str();
    takeTogether(*app.add_option("--tokens", options.tokens,
                                 "For logit-diff: the token and the one whose logit is subtracted"),
                 "TOKEN OTHER", 2);
    app.add_option("--target", options.target,
                   "For probability: the token. For the loss of a bidirectional network: the "
                   "token it should predict. Where the logits are of classes: the number of one");
    app.add_option("--position", options.position,
                   "The position where the metric is read. By default logit-diff and probability "
                   "are read at the last position (or the mask token), loss and kl at all");
}

Given givenTokens(std::span<const std::string> texts, bool are_ids) {
    std::vector<GivenToken> tokens;
    for (const std::string& text : texts)
        tokens.push_back({text, are_ids});
    return tokens;
}

void takeMetric(Asked& asked, const MetricWords& metric, bool are_ids) {
    asked.set("metric", metric.kind);
    asked.set("tokens", givenTokens(metric.tokens, are_ids));
    if (metric.target)
        asked.set("target", givenTokens({&*metric.target, 1}, are_ids));
    if (metric.position)
        asked.set("position", std::uint64_t{*metric.position});
}

std::string optionName(const std::string& key) {
    std::string name = "--" + key;
    std::ranges::replace(name, '_', '-');
    return name;
}

void refuseBroken(std::span<const Rule> rules, const Asked& asked) {
    if (const auto broken = brokenRule(rules, asked, optionName))
        refuseUsage(*broken);
}

} // namespace headscope::cli

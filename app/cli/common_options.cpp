#include "app/cli/common_options.h"

#include "app/cli/command.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "core/ask/parameter.h"
#include "core/loading/load_model.h"

#include <CLI/CLI.hpp>

#include <algorithm>
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

void addMetricOptions(CLI::App& app, MetricWords& options) {
    app.add_option("--metric", options.kind,
                   "What is measured: loss, logit-diff, probability or kl (from the whole model)")
        ->check(CLI::IsMember(metricChoices()))
        ->capture_default_str();
    app.add_option("--tokens", options.tokens,
                   "For logit-diff: the token and the one whose logit is subtracted")
        ->type_size(2)
        ->expected(1)
        ->allow_extra_args(false); // or "[SEP]" would be a list, and "-" after it an option
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

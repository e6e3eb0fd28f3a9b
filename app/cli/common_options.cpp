#include "app/cli/common_options.h"

#include "app/cli/command.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "core/ask/parameter.h"
#include "core/loading/load_model.h"

#include <CLI/CLI.hpp>

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

Result<HeadMask> readMask(const AblationOptions& options, const ModelSpec& spec) {
    return parseHeadMask(options.heads, spec,
                         options.kind == "mean" ? AblationKind::Mean : AblationKind::Zero);
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

void checkMetricUsage(const MetricWords& options) {
    if ((options.kind == "logit-diff") != (options.tokens.size() == 2))
        refuseUsage("--tokens A B belongs to --metric logit-diff, which needs it.");
    if (options.kind == "probability" && !options.target)
        refuseUsage("--metric probability needs --target TOKEN.");
    if (options.target && options.kind != "probability" && options.kind != "loss")
        refuseUsage("--target belongs to --metric probability and loss.");
}

} // namespace headscope::cli

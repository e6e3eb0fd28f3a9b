#pragma once

#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/interventions/metric_words.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"
#include "core/model/model_spec.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace headscope::cli {

constexpr int kMostSequences = 10'000; ///< of one sample that a command draws

/// Which model to open, and how.
struct ModelChoice {
    std::string path;
    LoadOptions load;
    const CLI::App* command = nullptr; ///< which writes its results over no file of the model
};

/// The positional argument MODEL, which is returned, and the options of loading it.
CLI::Option* addModelOption(CLI::App& app, ModelChoice& choice);

/// For commands with others below them, which would not be recognised before a required MODEL:
/// refuses that it is missing, unless one of those was given. Only for callbacks of CLI11.
void requireModel(const CLI::App& app, const ModelChoice& choice);

/// Loads the model and shows progress meanwhile.
Result<std::shared_ptr<const Model>> openModel(const ModelChoice& choice);
/// The same of a model that can be run; fails for attention that is open as weights alone.
Result<std::shared_ptr<const Model>> openRunnable(const ModelChoice& choice);

/// Heads that are ablated while prompts run.
struct AblationOptions {
    std::string heads; ///< "4.1,4.2"
    std::string kind = "zero";
};

/// --ablate and --ablation
void addAblationOptions(CLI::App& app, AblationOptions& options);

/// Fails for heads that this network does not have.
Result<HeadMask> readMask(const AblationOptions& options, const ModelSpec& spec);

/// --metric, --tokens, --target and --position
void addMetricOptions(CLI::App& app, MetricWords& options);

/// Refuses a metric without the tokens it reads, and tokens that it does not read. Only for
/// callbacks of CLI11.
void checkMetricUsage(const MetricWords& options);

} // namespace headscope::cli

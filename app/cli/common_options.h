#pragma once

#include "core/ask/analysis.h"
#include "core/ask/asked.h"
#include "core/base/result.h"
#include "core/interventions/metric_words.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <span>
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

/// --metric, --tokens, --target and --position
void addMetricOptions(CLI::App& app, MetricWords& options);

/// What was given for them, as an analysis is asked for it. `are_ids`: tokens are named by ids.
void takeMetric(Asked& asked, const MetricWords& metric, bool are_ids);
Given givenTokens(std::span<const std::string> texts, bool are_ids);

/// What comes after one name of the option together, whatever it looks like: "FROM TO" in the help.
void takeTogether(CLI::Option& option, const std::string& value_names, int count);

/// Refuses a number outside of these bounds in one sentence. Without a largest one `most` is
/// infinite.
void checkBounds(CLI::Option& option, double least, double most);

/// "--least-effect" of "least_effect".
std::string optionName(const std::string& key);

/// Ends parsing with the sentence of the first rule that refuses this. Only for callbacks of CLI11.
void refuseBroken(std::span<const Rule> rules, const Asked& asked);

} // namespace headscope::cli

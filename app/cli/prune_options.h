#pragma once

#include "app/cli/common_options.h"
#include "core/export/pruning_words.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

struct PruneOptions {
    ModelChoice model;
    PruningWords words;
    std::string orders = kUsualOrders;
    std::optional<std::string> order; ///< of the heads that --remove takes
    std::string remove;               ///< "30%" or a number of heads
    std::string recipe;
    std::string output;
    bool resume = false;
    bool group_queries = false;

    bool makesModel() const { return !remove.empty() || !recipe.empty(); }
};

void addPruneOptions(CLI::App& app, PruneOptions& options);
/// Those of them that ask for curves, without MODEL and what says where a result goes.
void addCurveQuestion(CLI::App& app, PruneOptions& options);

/// Refuses options that do not go together. Only for callbacks of CLI11.
void checkPruneUsage(const PruneOptions& options);

/// Refuses a file for curves whose format is unknown. Only for callbacks of CLI11.
void checkCurveOutput(const std::string& output);

/// The FILE of every list:FILE in --orders.
std::vector<std::string> listFiles(const std::string& orders);

/// With the orders of --orders. Fails as readPruningQuestion() and readOrders() do.
Result<PruningQuestion> readCurveQuestion(const PruneOptions& options, const ModelSpec& spec);

/// The same for curves of the same numbers only, whatever orders and points they have.
std::string curveQuestionText(const Model& model, const PruningTexts& texts,
                              const PruningWords& words);

} // namespace headscope::cli

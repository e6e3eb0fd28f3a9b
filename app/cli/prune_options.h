#pragma once

#include "app/cli/model_option.h"
#include "core/export/pruning_words.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace headscope::cli {

struct PruneOptions {
    ModelChoice model;
    PruningWords words;
    std::string orders = kUsualOrders;
    std::optional<std::string> order; ///< of the heads that --remove takes
    double tolerance = 1.0;           ///< percent
    std::string remove;               ///< "30%" or a number of heads
    std::string recipe;
    std::string output;
    bool resume = false;
    bool group_queries = false;

    bool makesModel() const { return !remove.empty() || !recipe.empty(); }
};

void addPruneOptions(CLI::App& app, PruneOptions& options);

/// Refuses options that do not go together. Only for callbacks of CLI11.
void checkPruneUsage(const PruneOptions& options);

} // namespace headscope::cli

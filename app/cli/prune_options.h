#pragma once

#include "app/cli/model_option.h"
#include "core/pruning/pruning_curve.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

struct PruneOptions {
    ModelChoice model;
    std::string calibrate; ///< a text file; empty: the bundled text
    std::string test;      ///< likewise
    std::size_t length = 128;
    std::size_t calibrate_tokens = 8192;
    std::size_t test_tokens = 8192;
    std::uint64_t seed = 0;
    std::string orders = "random:10,gradient,taylor,ahon,flap";
    std::optional<std::string> order; ///< of the heads that --remove takes
    std::string unit = "head";
    std::size_t points = 20;
    double tolerance = 1.0; ///< percent
    std::string replace = "zero";
    std::string compensate = "none";
    std::vector<std::string> tasks{"indirect_object", "verb_agreement"}; ///< "none" for none
    std::size_t least = 0;
    std::string protect;
    std::string remove; ///< "30%" or a number of heads
    std::string recipe;
    std::string output;
    bool resume = false;
    bool group_queries = false;

    bool makesModel() const { return !remove.empty() || !recipe.empty(); }
};

void addPruneOptions(CLI::App& app, PruneOptions& options);

/// Refuses options that do not go together. Only for callbacks of CLI11.
void checkPruneUsage(const PruneOptions& options);

/// "gradient,random:10,list:heads.txt" → orders. random:N are N orders with the seeds 0 to N − 1; a
/// list is a file of heads. Fails for unknown names and lists that cannot be read.
Result<std::vector<OrderSpec>> readOrders(const std::string& text, std::uint64_t seed,
                                          const ModelSpec& spec);

/// Everything but the orders.
Result<PruningQuestion> readPruningQuestion(const PruneOptions& options, const ModelSpec& spec);

/// "30%" or "14" → a share of all heads.
Result<double> readShare(const std::string& text, const ModelSpec& spec);

} // namespace headscope::cli

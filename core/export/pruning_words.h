#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/domains.h"
#include "core/pruning/passages.h"
#include "core/pruning/pruning_curve.h"
#include "core/pruning/recipe.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// How heads are removed and on what that is measured, as a user asks for it.
struct PruningWords {
    std::string calibrate = {}; ///< a text file; empty: see domains
    std::string test = {};      ///< likewise
    /// Where neither is given: some of domainNames(); empty: all that the model can read.
    std::vector<std::string> domains = {};
    std::size_t length = 128; ///< tokens of a passage, BOS included
    std::size_t calibrate_tokens = 4096;
    std::size_t test_tokens = 4096;
    std::uint64_t seed = 0; ///< of masked tokens, of random orders and of Taylor's draws
    std::string unit = "head";
    std::size_t points = 10;       ///< cuts of each curve before it is narrowed down
    double tolerance = 1.0;        ///< percent
    std::string ablation = "zero"; ///< replacementName() of one
    std::string compensate = "none";
    /// choiceTaskKey() of each; "none" means no task.
    std::vector<std::string> tasks{"indirect_object", "verb_agreement"};
    std::size_t least = 0;    ///< units that stay in every layer
    std::string protect = {}; ///< "4.1,4.2": heads that stay
};

/// The orders that are compared where nobody names any.
inline constexpr const char* kUsualOrders = "random:10,gradient,taylor,ahon,flap";

/// "random, ablation, …"
std::string orderNames();

/// "gradient,random:10,list:heads.txt" → orders. random:N are N orders with the seeds from `seed`
/// on; a list is a file of heads. Fails for unknown names and lists that cannot be read.
Result<std::vector<OrderSpec>> readOrders(const std::string& text, std::uint64_t seed,
                                          const ModelSpec& spec);

/// Everything but the orders. Fails for names that there are not and heads that are not there.
Result<PruningQuestion> readPruningQuestion(const PruningWords& words, const ModelSpec& spec);

/// "30%" or "14" → a share of all heads, above 0 and at most 1.
Result<double> readShare(const std::string& text, const ModelSpec& spec);

/// How the calibration text is cut, within the model's context.
PassageOptions calibrationOptions(const PruningWords& words, const Model& model);

/// The texts of curves: one domain of the user's two files, of which one may be bundled, or
/// several. Fails as readTextFile(), readPassages() and pruningDomains() do.
Result<PruningTexts> readPruningTexts(const std::shared_ptr<const Model>& model,
                                      const PruningWords& words, const Progress& progress = {},
                                      const std::stop_token& stop = {});

/// The two texts of what reads one pair: the user's files, the domain that alone is asked for, or
/// the bundled ones. Fails likewise.
struct PruningPassages {
    PassageSet calibration;
    PassageSet test;
};
Result<PruningPassages> readPruningPassages(const std::shared_ptr<const Model>& model,
                                            const PruningWords& words,
                                            const std::stop_token& stop = {});

/// A cut, and the recipe that makes it again.
struct CutByRecipe {
    Cut cut;
    Recipe recipe;
};

/// The heads that go first in one order, as readOrders() names it, as many as readShare() reads in
/// `remove`. Fails as these and chooseCut() do.
Result<CutByRecipe> cutByOrder(const std::shared_ptr<const Model>& model, const PruningWords& words,
                               const std::string& order, const std::string& remove,
                               const Progress& progress = {}, const std::stop_token& stop = {});

/// The heads of a recipe's file, compensated on the calibration text that it was made with. Fails
/// for a recipe of another model or text, and as readRecipe() and compensatedCut() do.
Result<CutByRecipe> cutByRecipe(const std::shared_ptr<const Model>& model,
                                const PruningWords& words, const std::filesystem::path& path,
                                const Progress& progress = {}, const std::stop_token& stop = {});

} // namespace headscope

#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/model/model.h"
#include "core/pruning/compensation.h"
#include "core/pruning/passages.h"

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// How a smaller model was made from its model, so that it can be made again.
struct Recipe {
    std::string model_name;
    std::string model_sha256;
    std::string order; ///< OrderSpec::name()
    HeadSet heads;
    Compensation compensation = Compensation::None;
    std::string calibration_name;
    std::string calibration_hash; ///< PassageSet::hash
    PassageOptions passages;      ///< how the calibration text was cut
};

/// The recipe of what was cut out of a model.
Recipe recipeFor(const Model& model, const HeadSet& removed, const std::string& order,
                 Compensation compensation, const PassageSet& calibration,
                 const PassageOptions& passages);

/// {"heads": [[0, 3], …], "model": {"name", "sha256"}, "order", "compensation", "calibration":
/// {"name", "hash", "length", "tokens", "seed"}, "format": "headscope-recipe", "version": 1}
Record recipeRecord(const Recipe& recipe);

/// [[0, 3], …]; nothing for what has another form.
std::optional<HeadSet> headsFromJson(const JsonValue& list);

/// Fails, naming `source`, for what is no such record.
Result<Recipe> readRecipe(std::string_view text, const std::string& source);

/// The recipe's heads as the model counts them now. Fails for another model and for heads that it
/// does not have.
Result<HeadSet> recipeHeads(const Recipe& recipe, const Model& model);

/// Fails when the compensation was found on another text.
Result<void> checkCalibration(const Recipe& recipe, const PassageSet& calibration);

} // namespace headscope

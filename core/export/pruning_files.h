#pragma once

#include "core/base/result.h"
#include "core/base/table.h"
#include "core/export/save_smaller_model.h"
#include "core/pruning/domains.h"
#include "core/pruning/recipe.h"

#include <filesystem>
#include <memory>
#include <stop_token>

namespace headscope {

/// By the extension: .json and .csv hold the table (pruningTable()), .h5 the numbers of each order
/// as arrays: curves.ORDER.KEY of one text, curves.TEXT.ORDER.KEY of several. Fails for another
/// extension and as the writers do.
Result<void> writePruningCurves(const std::filesystem::path& path, const Table& table,
                                const DomainResults& results);

/// "smaller.recipe.json" of "smaller.h5"
std::filesystem::path recipePathBeside(const std::filesystem::path& model);
Result<void> writeRecipe(const std::filesystem::path& path, const Recipe& recipe);

/// saveSmallerModel(), compared on the passages of a text, with the recipe beside it.
Result<SavedModel> saveWithRecipe(const std::shared_ptr<const Model>& model, const Cut& cut,
                                  const std::filesystem::path& output, const PassageSet& check_on,
                                  const Recipe& recipe, const Progress& progress = {},
                                  const std::stop_token& stop = {});

} // namespace headscope

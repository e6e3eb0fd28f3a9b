#pragma once

#include "app/cli/work.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/pruning/domains.h"
#include "core/pruning/passages.h"
#include "core/pruning/recipe.h"
#include "core/pruning/verdict.h"

#include <filesystem>
#include <memory>

namespace headscope::cli {

void printTexts(const PassageSet& calibration, const PassageSet& test);
void printTexts(const PruningTexts& texts);
/// Caption and rows, with an empty line after them.
void printShown(const Table& table);

/// The verdict on every text, and on every order of the nearest.
void printVerdict(const Verdict& verdict, const Provenance& provenance);

/// What is removed where the verdict is that heads can go.
HeadSet headsOfVerdict(const DomainResults& results, const Verdict& verdict);

/// Writes the smaller model, compared on the test text, with its recipe beside it, and says what it
/// saves.
Result<void> saveAndReport(const std::shared_ptr<const Model>& model, const Cut& cut,
                           const std::filesystem::path& output, const PassageSet& test,
                           const Recipe& recipe);

/// Pruning curves, each order with its cuts a unit.
std::unique_ptr<Work> makePruneWork();

} // namespace headscope::cli

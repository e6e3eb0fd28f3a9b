#pragma once

#include "core/base/result.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace headscope::cli {

/// Which model to open, and how.
struct ModelChoice {
    std::string path;
    LoadOptions load;
};

/// The positional argument MODEL, which is returned, and the options of loading it.
CLI::Option* addModelOption(CLI::App& app, ModelChoice& choice);

/// For commands with others below them, which would not be recognised before a required MODEL:
/// refuses that it is missing, unless one of those was given. Only for callbacks of CLI11.
void requireModel(const CLI::App& app, const ModelChoice& choice);

/// Loads the model and shows progress meanwhile.
Result<std::shared_ptr<const Model>> openModel(const ModelChoice& choice);

} // namespace headscope::cli

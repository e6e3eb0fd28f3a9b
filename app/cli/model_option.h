#pragma once

#include "core/base/result.h"
#include "core/model/model.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace headscope::cli {

/// The positional argument MODEL.
void addModelOption(CLI::App& app, std::string& path);

/// Loads the model and shows progress meanwhile.
Result<std::shared_ptr<const Model>> openModel(const std::string& path);

} // namespace headscope::cli

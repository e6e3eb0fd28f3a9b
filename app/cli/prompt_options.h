#pragma once

#include "core/base/result.h"
#include "core/model/prompt.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace headscope::cli {

/// Exactly one of the three sources is set after parsing.
struct PromptOptions {
    std::optional<std::string> text;
    std::optional<std::string> ids;
    std::optional<std::string> text_file;
    std::string bos = "auto";
};

/// --text, --ids, --text-file and --bos; wrong usage unless exactly one of the first three is
/// given.
void addPromptOptions(CLI::App& app, PromptOptions& options);

/// --bos auto|yes|no
void addBosOption(CLI::App& app, std::string& bos);
BosMode bosMode(const std::string& bos);

Result<Prompt> readPrompt(const Model& model, const PromptOptions& options);

} // namespace headscope::cli

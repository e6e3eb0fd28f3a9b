#pragma once

#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace headscope::cli {

/// A subcommand: parsing fills its options, `run` then does the work and prints to stdout.
struct Command {
    CLI::App* app = nullptr;
    std::function<Result<void>()> run;
};

Command benchCommand(CLI::App& parent);
Command convertCommand(CLI::App& parent);
Command exportCommand(CLI::App& parent);
Command examplesCommand(CLI::App& parent);
Command headsCommand(CLI::App& parent);
Command infoCommand(CLI::App& parent);
Command mcpCommand(CLI::App& parent);
Command promptsCommand(CLI::App& parent);
Command pruneCommand(CLI::App& parent);
Command runCommand(CLI::App& parent);
Command sweepCommand(CLI::App& parent);
Command tokenizeCommand(CLI::App& parent);
Command verifyCommand(CLI::App& parent);

/// Ends parsing with one sentence and the exit code for wrong usage. Only for callbacks of CLI11.
[[noreturn]] inline void refuseUsage(const std::string& sentence) {
    throw CLI::ParseError(sentence, CLI::ExitCodes::ValidationError);
}

} // namespace headscope::cli

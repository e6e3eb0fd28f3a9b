#pragma once

#include "app/cli/mcp/folders.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace headscope::cli {

/// The commands that are tools: all of the program but the server itself, and without a folder for
/// writing those that only write.
std::vector<const CLI::App*> toolCommands(const CLI::App& program, bool may_write);

/// A command as a tool: name, description, and a JSON Schema made of its options. An option
/// "--least-effect" is the parameter "least_effect".
nlohmann::json describedTool(const CLI::App& command, bool may_write);

/// A sentence about options as one about parameters: "--least-effect" becomes "least_effect".
std::string aboutParameters(const std::string& sentence);

/// The words of a command for the arguments of a call. It prints JSON where it can, and writes no
/// file unless an argument names one. Fails for an argument that the command does not have, of
/// another type, missing, or that names a file elsewhere.
Result<std::vector<std::string>> commandWords(const CLI::App& command, const JsonValue& arguments,
                                              const Folders& folders);

} // namespace headscope::cli

#include "app/cli/command.h"
#include "app/cli/mcp/folders.h"
#include "app/cli/mcp/server.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

struct McpOptions {
    std::vector<std::string> folders;
    std::string write;
};

Result<void> runMcp(const CLI::App& program, const McpOptions& options) {
    auto folders = Folders::make(options.folders, options.write);
    if (!folders)
        return folders.error();
    return McpServer(program, *std::move(folders)).serve();
}

} // namespace

Command mcpCommand(CLI::App& parent) {
    const auto options = std::make_shared<McpOptions>();
    CLI::App* app = parent.add_subcommand(
        "mcp", "Let an agent ask: a server of the Model Context Protocol over standard input and "
               "output");
    app->add_option("FOLDER", options->folders,
                    "Folders whose models and texts an agent may read, and no file elsewhere")
        ->required();
    app->add_option("--write", options->write,
                    "Folder below which an agent may write results; by default it writes nothing");
    return {app, [&parent, options] { return runMcp(parent, *options); }};
}

} // namespace headscope::cli

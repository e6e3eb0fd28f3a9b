#include "app/cli/ask_command.h"
#include "app/cli/command.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "core/base/memory.h"
#include "core/base/stack.h"
#include "core/base/utf8.h"
#include "core/io/allowed_folders.h"
#include "core/io/end_signals.h"
#include "core/tensor/blas_memory.h"
#include "core/tensor/parallel.h"
#include "core/tensor/startup.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kWrongUsage = 2;
constexpr int kTryAgain = 75; ///< EX_TEMPFAIL: stopped on request, and the same again goes on

int fail(int exit_code, const std::string& sentence) {
    std::cerr << "headscope-cli: " << headscope::escapeControls(sentence) << '\n';
    return exit_code;
}

/// At once: a thread of OpenBLAS that still asks for memory would never be done.
[[noreturn]] void leave(const std::string& sentence) {
    std::_Exit(fail(kFailure, sentence));
}

int failUsage(const std::string& sentence) {
    fail(kWrongUsage, sentence);
    std::cerr << "Run with --help for more information.\n";
    return kWrongUsage;
}

/// Memory can also run out where nothing may be thrown, such as at the end of an object.
[[noreturn]] void endWithASentence() {
    try {
        if (const std::exception_ptr thrown = std::current_exception())
            std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        leave(headscope::memoryIsUsedUp().message);
    } catch (...) { // a mistake of ours
        std::abort();
    }
    // What was thrown is not known here: a function of a library promised not to throw.
    if (std::uncaught_exceptions() > 0)
        leave("Something that the system had to give is missing, most likely memory; close other "
              "programs or ask for less at a time.");
    std::abort();
}

/// CLI11 reports --help and --version as exceptions too, with exit code 0.
int finishParsing(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
        return app.exit(error);
    return failUsage(error.what());
}

/// As many as a batch system gives, unless the user says how many.
void takeAllowedThreads() {
    if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr)
        return;
    if (const auto allowed = headscope::allowedThreads(std::getenv("SLURM_CPUS_PER_TASK")))
        headscope::setThreads(std::min(*allowed, headscope::threads()));
}

/// In the order of the help: models and prompts, heads, the analyses that core declares, and what
/// is written or measured of the whole.
std::vector<headscope::cli::Command> commandsOf(CLI::App& app) {
    using namespace headscope::cli;
    std::vector<Command> commands{infoCommand(app),     tokenizeCommand(app), runCommand(app),
                                  exportCommand(app),   promptsCommand(app),  headsCommand(app),
                                  examplesCommand(app), sweepCommand(app)};
    for (const headscope::Analysis& analysis : headscope::analyses())
        commands.push_back(askCommand(app, analysis));
    for (const auto make : {pruneCommand, convertCommand, benchCommand, verifyCommand, mcpCommand})
        commands.push_back(make(app));
    return commands;
}

/// Those that the server for agents gives to the program that answers a call.
struct FolderOptions {
    std::vector<std::string> read;
    std::string write;

    void addTo(CLI::App& app) {
        const auto option = [](std::string_view name) { return "--" + std::string(name); };
        app.add_option(option(headscope::kReadOption), read)->group("")->allow_extra_args(false);
        app.add_option(option(headscope::kWriteOption), write)->group("");
    }

    void keepToThem() const {
        if (read.empty() && write.empty())
            return;
        headscope::AllowedFolders folders{{read.begin(), read.end()}, std::nullopt};
        if (!write.empty())
            folders.write = write;
        headscope::keepToFolders(std::move(folders));
    }
};

int runProgram(int argc, char** argv) {
    using namespace headscope::cli;
    CLI::App app("Headscope on the command line: look into the attention heads of a transformer.",
                 "headscope-cli");
    app.set_version_flag("--version", "headscope-cli " HEADSCOPE_VERSION);
    app.footer("Every subcommand has its own --help.");
    // One command: a head that is called as one is no second.
    app.require_subcommand(0, 1);
    FolderOptions folders;
    folders.addTo(app);
    const std::vector<Command> commands = commandsOf(app);
    std::vector<std::string> arguments(argv + 1, argv + argc);
    std::ranges::reverse(arguments); // as CLI11 takes them
    try {
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        return finishParsing(app, error);
    }
    if (app.get_subcommands().empty())
        return failUsage("A subcommand is missing, such as info.");
    folders.keepToThem();
    for (const Command& command : commands) {
        if (!command.app->parsed())
            continue;
        if (const auto checked = checkOutputsAreNoInputs(*command.app); !checked)
            return fail(kFailure, checked.error().message);
        if (const auto done = command.run(); !done)
            return fail(done.error().code == headscope::ErrorCode::Cancelled ? kTryAgain : kFailure,
                        done.error().message);
    }
    if (!std::cout.flush())
        return fail(kFailure, "Cannot write to the standard output; is the disk full?");
    return kSuccess;
}

} // namespace

int main(int argc, char** argv) {
    std::set_terminate(endWithASentence);
    try {
        if (const auto reserved = headscope::reserveStack(); !reserved)
            leave(reserved.error().message);
        headscope::restartWithMissedBlasKernels(argv);
        takeAllowedThreads();
        if (const auto reserved = headscope::reserveBlasMemory(); !reserved)
            leave(reserved.error().message);
        headscope::cleanUpOnEndSignals();
        const headscope::cli::EscapedOutput escaped(std::cout);
        return runProgram(argc, argv);
    } catch (const std::bad_alloc&) {
        leave(headscope::memoryIsUsedUp().message);
    } catch (const std::exception& error) {
        leave(std::string("The system refuses what is needed: ") + error.what() + ".");
    }
}

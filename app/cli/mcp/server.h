#pragma once

#include "app/cli/mcp/answers.h"
#include "app/cli/mcp/asked_program.h"
#include "app/cli/mcp/folders.h"
#include "app/cli/mcp/own_tools.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace headscope::cli {

/// A server of the Model Context Protocol (modelcontextprotocol.io, 2025-06-18) over standard input
/// and output, a JSON-RPC message on each line. Each tool is a command of headscope-cli, which
/// answers in a process of its own: an agent gets the bytes that a person gets. Calls are answered
/// one after another; all else is answered at once.
class McpServer {
public:
    McpServer(const CLI::App& program, Folders folders);

    /// Answers until standard input ends.
    Result<void> serve();

private:
    /// A call that waits for those before it.
    struct Waiting {
        nlohmann::json id;
        nlohmann::json progress_token; ///< null: nobody asks how far it is
        std::string tool;
        nlohmann::json arguments;
    };
    struct Call {
        AskedProgram asked;
        bool is_json = false;
        std::optional<FigureFile> picture; ///< that the program draws
    };
    struct Running {
        Running(Waiting taken, Call asked, RunningProgram started)
            : waited(std::move(taken)), call(std::move(asked)), program(std::move(started)) {}

        Waiting waited;
        Call call;
        RunningProgram program;
        bool is_cancelled = false;
        int percent = 0;
        int told = -1;          ///< of its progress
        int percent_before = 0; ///< of parts of the work that are done: progress never goes back
    };

    /// False at the end of standard input.
    bool readInput();
    void takeLine(std::string_view line);
    void takeMessage(const JsonValue& message);
    void takeRequest(const std::string& method, const nlohmann::json& id, const JsonValue& asked);
    void callTool(const nlohmann::json& id, const JsonValue& asked);
    /// What one of the server's own tools says, or that a call waits for its turn: nothing.
    std::optional<Result<std::string>> answerAtOnce(const std::string& tool,
                                                    const JsonValue& arguments) const;
    void readResource(const nlohmann::json& id, const JsonValue& asked);
    void cancel(const JsonValue& asked);
    nlohmann::json tools() const;
    nlohmann::json resources() const;

    /// What is started for a tool. Fails for a tool that there is not, and for wrong arguments.
    Result<Call> callOf(const std::string& tool, const JsonValue& arguments) const;

    void startNext();
    Result<void> start(Waiting waiting);
    void followRunning();
    void finishRunning();
    /// What a call comes to whose program has ended.
    nlohmann::json resultOf(const Call& call, const RunningProgram& program, int status);
    /// What a program printed, kept as an answer.
    nlohmann::json printed(const Call& call, const RunningProgram& program);

    const CLI::App& program_;
    Folders folders_;
    Answers answers_;
    Looks looks_;
    std::string input_; ///< not yet a whole line
    bool skips_line_ = false;
    std::deque<Waiting> waiting_;
    std::optional<Running> running_;
};

} // namespace headscope::cli

#include "app/cli/mcp/server.h"

#include "app/cli/mcp/messages.h"
#include "app/cli/mcp/own_tools.h"
#include "app/cli/mcp/tools.h"
#include "core/io/sealed_json.h"

#include <CLI/CLI.hpp>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace headscope::cli {

namespace {

constexpr std::size_t kLongestMessage = std::size_t{4} << 20;
constexpr std::size_t kMostWaiting = 100;
constexpr std::size_t kDeepestMessage = 32;
constexpr std::size_t kMostMessageValues = 100'000;
constexpr int kWrongUsage = 2; ///< the program's exit status
constexpr const char* kWrongUsageKind = "wrong usage";

/// Versions of the protocol in which all that is said here means the same; the first is offered to
/// those who ask for another.
constexpr std::array<std::string_view, 3> kVersions{"2025-06-18", "2025-11-25", "2024-11-05"};

constexpr const char* kInstructions =
    "Headscope opens a transformer from a file and measures what its attention heads do. Begin "
    "with "
    "the tools models and info. A head is written L.H: layer and head, both counted from 0. heads "
    "says which types of heads there are (previous token, induction, sink and others): score, "
    "baseline, 95 % interval and, as null, what was not measured. A label says what a head looks "
    "at; heads with trust says whether it holds on other input and whether the model needs the "
    "head, and effect measures what ablating one head, or all heads of a type, costs. tokenize "
    "shows how a prompt is cut, and whether it begins with BOS. Every answer ends with how many "
    "tests were made so far and how many labels among those found are expected to be false.";

std::string textOf(const JsonValue& value) {
    return value.text() != nullptr ? *value.text() : std::string();
}

nlohmann::json initialized(const JsonValue& asked) {
    const std::string wished = textOf(asked.member("protocolVersion"));
    const auto known = std::ranges::find(kVersions, wished);
    return {{"protocolVersion", known == kVersions.end() ? kVersions.front() : *known},
            {"capabilities",
             {{"tools", nlohmann::json::object()}, {"resources", nlohmann::json::object()}}},
            {"serverInfo",
             {{"name", "headscope"}, {"title", "Headscope"}, {"version", HEADSCOPE_VERSION}}},
            {"instructions", kInstructions}};
}

const CLI::App* commandNamed(const CLI::App& program, bool may_write, const std::string& name) {
    const auto commands = toolCommands(program, may_write);
    const auto found = std::ranges::find(commands, name, &CLI::App::get_name);
    return found == commands.end() ? nullptr : *found;
}

constexpr std::string_view kAnswerUri = "headscope://answer/";
constexpr std::string_view kModelUri = "headscope://models";
constexpr const char* kJsonType = "application/json";
constexpr const char* kTextType = "text/plain";

} // namespace

McpServer::McpServer(const CLI::App& program, Folders folders)
    : program_(program), folders_(std::move(folders)) {}

Result<void> McpServer::serve() {
    bool is_open = true;
    while (is_open) {
        startNext();
        std::vector<pollfd> polled{{STDIN_FILENO, POLLIN, 0}};
        if (running_)
            running_->program.addTo(polled);
        if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR)
            return Error{ErrorCode::Unreadable, "Cannot wait for standard input."};
        if (polled.front().revents != 0)
            is_open = readInput();
        if (running_)
            followRunning();
    }
    return {};
}

bool McpServer::readInput() {
    std::array<char, std::size_t{1} << 16> bytes{};
    const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
        return true;
    if (count <= 0)
        return false;
    input_.append(bytes.data(), static_cast<std::size_t>(count));
    for (std::size_t end = input_.find('\n'); end != std::string::npos; end = input_.find('\n')) {
        const std::string line = input_.substr(0, end);
        input_.erase(0, end + 1);
        if (!std::exchange(skips_line_, false) &&
            line.find_first_not_of(" \t\r") != std::string::npos)
            takeLine(line);
    }
    if (input_.size() > kLongestMessage) {
        if (!std::exchange(skips_line_, true))
            sendError(nullptr, RpcError::Unreadable, "A message may have at most 4 MiB.");
        input_.clear();
    }
    return true;
}

void McpServer::takeLine(std::string_view line) {
    const auto message =
        readForeignJson(line, {.depth = kDeepestMessage, .values = kMostMessageValues});
    if (message)
        takeMessage(message->root());
    else
        sendError(nullptr, RpcError::Unreadable, "The message " + message.error().message + '.');
}

void McpServer::takeMessage(const JsonValue& message) {
    const std::string method = textOf(message.member("method"));
    const JsonValue asked = message.member("params");
    const auto id = message.find("id");
    if (id && (id->text() != nullptr || id->isInteger()) && !method.empty())
        return takeRequest(method, id->json(), asked);
    if (!id && method == "notifications/cancelled")
        return cancel(asked);
    const bool is_reply = message.find("result") || message.find("error");
    if (!is_reply && (id || method.empty()))
        sendError(nullptr, RpcError::NoRequest,
                  "The message is no request of JSON-RPC with a text or a whole number as its id.");
}

void McpServer::takeRequest(const std::string& method, const nlohmann::json& id,
                            const JsonValue& asked) {
    if (method == "initialize")
        return sendReply(id, initialized(asked));
    if (method == "ping")
        return sendReply(id, nlohmann::json::object());
    if (method == "tools/list")
        return sendReply(id, {{"tools", tools()}});
    if (method == "tools/call")
        return callTool(id, asked);
    if (method == "resources/list")
        return sendReply(id, {{"resources", resources()}});
    if (method == "resources/templates/list")
        return sendReply(id, {{"resourceTemplates", nlohmann::json::array()}});
    if (method == "resources/read")
        return readResource(id, asked);
    sendError(id, RpcError::NoMethod, "There is no method " + method + '.');
}

nlohmann::json McpServer::tools() const {
    nlohmann::json tools = describedOwnTools();
    for (const CLI::App* command : toolCommands(program_, folders_.mayWrite()))
        tools.push_back(describedTool(*command, folders_.mayWrite()));
    return tools;
}

nlohmann::json McpServer::resources() const {
    nlohmann::json resources = nlohmann::json::array({{{"uri", kModelUri},
                                                       {"name", "models"},
                                                       {"title", "Models that can be opened"},
                                                       {"mimeType", kJsonType}}});
    for (const Answers::Kept& kept : answers_.kept()) {
        const std::string number = std::to_string(kept.number);
        resources.push_back({{"uri", std::string(kAnswerUri) + number},
                             {"name", "answer " + number},
                             {"mimeType", kept.is_json ? kJsonType : kTextType}});
    }
    return resources;
}

void McpServer::readResource(const nlohmann::json& id, const JsonValue& asked) {
    const std::string uri = textOf(asked.member("uri"));
    const auto reply = [&](const std::string& text, bool is_json) {
        sendReply(
            id, {{"contents", nlohmann::json::array({{{"uri", uri},
                                                      {"mimeType", is_json ? kJsonType : kTextType},
                                                      {"text", text}}})}});
    };
    if (uri == kModelUri)
        return reply(modelList(folders_), true);
    for (const Answers::Kept& kept : answers_.kept())
        if (uri == std::string(kAnswerUri) + std::to_string(kept.number))
            return reply(*answers_.text(kept.number), kept.is_json);
    sendError(id, RpcError::NoResource, "There is no resource " + uri + '.');
}

std::optional<Result<std::string>> McpServer::answerAtOnce(const std::string& tool,
                                                           const JsonValue& arguments) const {
    if (!arguments.isNull() && !arguments.isObject())
        return Error{ErrorCode::InvalidArgument, "arguments must be an object."};
    if (auto checked = checkOwnArguments(tool, arguments); !checked)
        return checked.error();
    if (tool == "models")
        return modelList(folders_);
    if (tool == "rows")
        return readRows(answers_, arguments);
    // Asked again when its turn comes: by then files may be there that were not.
    if (const auto call = callOf(tool, arguments); !call)
        return call.error();
    return std::nullopt;
}

void McpServer::callTool(const nlohmann::json& id, const JsonValue& asked) {
    const std::string tool = textOf(asked.member("name"));
    const JsonValue arguments = asked.member("arguments");
    if (const auto said = answerAtOnce(tool, arguments))
        return sendReply(
            id, *said ? nlohmann::json{{"content", nlohmann::json::array({textContent(**said)})}}
                      : refusedCall(kWrongUsageKind, said->error().message));
    if (waiting_.size() >= kMostWaiting)
        return sendReply(id, refusedCall("failed", "Too many calls wait; ask again later."));
    Waiting waiting{id, nullptr, tool, arguments.json()};
    const JsonValue token = asked.member("_meta").member("progressToken");
    if (token.text() != nullptr || token.isInteger())
        waiting.progress_token = token.json();
    waiting_.push_back(std::move(waiting));
}

Result<McpServer::Call> McpServer::callOf(const std::string& tool,
                                          const JsonValue& arguments) const {
    Call call;
    if (tool == "figure") {
        auto picture = FigureFile::make();
        if (!picture)
            return picture.error();
        auto asked = figureProgram(arguments, folders_, picture->path());
        if (!asked)
            return asked.error();
        call.asked = *std::move(asked);
        call.picture = std::move(*picture);
        return call;
    }
    const CLI::App* const command = commandNamed(program_, folders_.mayWrite(), tool);
    if (command == nullptr)
        return Error{ErrorCode::NotFound, "There is no tool " + tool + '.'};
    auto words = commandWords(*command, arguments, folders_);
    if (!words)
        return words.error();
    call.is_json = words->back() == "--json";
    call.asked.path = thisProgram();
    call.asked.words = *std::move(words);
    call.asked.environment = {"HEADSCOPE_PROGRESS=lines"};
    call.asked.folder = "/"; // all files have their whole paths
    return call;
}

void McpServer::cancel(const JsonValue& asked) {
    const nlohmann::json& id = asked.member("requestId").json();
    std::erase_if(waiting_, [&](const Waiting& call) { return call.id == id; });
    if (running_ && running_->waited.id == id) {
        running_->is_cancelled = true;
        running_->program.stop();
    }
}

void McpServer::startNext() {
    while (!running_ && !waiting_.empty()) {
        Waiting waiting = std::move(waiting_.front());
        waiting_.pop_front();
        const nlohmann::json id = waiting.id;
        if (const auto started = start(std::move(waiting)); !started)
            sendReply(id, refusedCall("failed", started.error().message));
    }
}

Result<void> McpServer::start(Waiting waiting) {
    auto call = callOf(waiting.tool, JsonValue(waiting.arguments));
    if (!call)
        return call.error();
    auto program = RunningProgram::start(call->asked);
    if (!program)
        return program.error();
    running_.emplace(std::move(waiting), *std::move(call), *std::move(program));
    return {};
}

void McpServer::followRunning() {
    const auto tell = [this](int percent, std::string_view stage) {
        Running& running = *running_;
        if (percent < running.percent) // the next part of the work, which begins at 0 again
            running.percent_before += 100;
        running.percent = percent;
        const int progress = running.percent_before + percent;
        if (!running.waited.progress_token.is_null() && !running.is_cancelled &&
            progress > std::exchange(running.told, progress))
            sendNotice("notifications/progress", {{"progressToken", running.waited.progress_token},
                                                  {"progress", progress},
                                                  {"total", running.percent_before + 100},
                                                  {"message", stage}});
    };
    if (!running_->program.read(tell))
        finishRunning();
}

void McpServer::finishRunning() {
    const int status = running_->program.wait();
    if (!running_->is_cancelled) // to which MCP wants no answer
        sendReply(running_->waited.id, resultOf(running_->call, running_->program, status));
    running_.reset();
}

nlohmann::json McpServer::resultOf(const Call& call, const RunningProgram& program, int status) {
    if (status == -SIGKILL || status == -SIGTERM)
        return refusedCall("not finished", "The program was ended; it may need more memory than "
                                           "there is.");
    if (status < 0)
        return refusedCall("not finished", "The program broke off by signal " +
                                               std::to_string(-status) +
                                               ", which is a mistake in Headscope; report it.");
    if (status != 0) {
        nlohmann::json refused = refusedCall(status == kWrongUsage ? kWrongUsageKind : "failed",
                                             aboutParameters(program.sentence()));
        if (!call.picture && !program.out().empty()) // a report that speaks against the model
            for (nlohmann::json& part : printed(call, program))
                refused["content"].push_back(std::move(part));
        return refused;
    }
    if (!call.picture)
        return {{"content", printed(call, program)}};
    auto picture = call.picture->base64();
    if (!picture)
        return refusedCall("failed", picture.error().message);
    return {{"content",
             nlohmann::json::array(
                 {{{"type", "image"}, {"mimeType", "image/png"}, {"data", *std::move(picture)}},
                  textContent(looks_.text())})}};
}

nlohmann::json McpServer::printed(const Call& call, const RunningProgram& program) {
    if (call.is_json)
        looks_.add(call.asked.words, program.out());
    const Answers::Shown shown = answers_.shown(answers_.keep(program.out(), call.is_json));
    nlohmann::json content = nlohmann::json::array({textContent(shown.text)});
    if (!shown.note.empty())
        content.push_back(textContent(shown.note));
    content.push_back(textContent(looks_.text()));
    return content;
}

} // namespace headscope::cli

#include "app/cli/mcp/messages.h"

#include "app/cli/terminal.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace headscope::cli {

namespace {

void send(nlohmann::json message) {
    message["jsonrpc"] = "2.0";
    printData(message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

} // namespace

void sendReply(const nlohmann::json& id, nlohmann::json result) {
    send({{"id", id}, {"result", std::move(result)}});
}

void sendError(const nlohmann::json& id, RpcError code, const std::string& sentence) {
    send({{"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", sentence}}}});
}

void sendNotice(const std::string& method, nlohmann::json parameters) {
    send({{"method", method}, {"params", std::move(parameters)}});
}

nlohmann::json textContent(const std::string& text) {
    return {{"type", "text"}, {"text", text}};
}

nlohmann::json refusedCall(const std::string& kind, const std::string& sentence) {
    return {{"content", nlohmann::json::array({textContent(sentence)})},
            {"structuredContent", {{"error", kind}, {"sentence", sentence}}},
            {"isError", true}};
}

} // namespace headscope::cli

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace headscope::cli {

// JSON-RPC 2.0, a message on each line of standard output, and what MCP says in it.

/// Codes of JSON-RPC 2.0.
enum class RpcError {
    Unreadable = -32700,
    NoRequest = -32600,
    NoMethod = -32601,
    NoResource = -32002 ///< of MCP
};

void sendReply(const nlohmann::json& id, nlohmann::json result);
void sendError(const nlohmann::json& id, RpcError code, const std::string& sentence);
void sendNotice(const std::string& method, nlohmann::json parameters);

/// {"type": "text", "text": …}
nlohmann::json textContent(const std::string& text);

/// The result of a tool that could not answer. `kind` is "wrong usage", "failed" or "not finished".
nlohmann::json refusedCall(const std::string& kind, const std::string& sentence);

} // namespace headscope::cli

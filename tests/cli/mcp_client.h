#pragma once

#include "tests/cli/cli_process.h"

#include <QProcess>

#include <filesystem>
#include <string>

namespace headscope::test {

using nlohmann::json;

inline constexpr int kLongestWait = 120'000; // ms

/// A client of `headscope-cli mcp` that knows as much of the protocol as the tests need.
class McpClient {
public:
    explicit McpClient(const Arguments& arguments) {
        QStringList words{QStringLiteral("mcp")};
        for (const std::string& argument : arguments)
            words.append(QString::fromStdString(argument));
        process_.start(QStringLiteral(HEADSCOPE_CLI), words);
    }
    ~McpClient() {
        process_.closeWriteChannel();
        process_.waitForFinished(kLongestWait);
    }

    void send(const std::string& line) { process_.write(QByteArray::fromStdString(line + '\n')); }

    int ask(const std::string& method, const json& parameters = json::object()) {
        send(
            json{{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", parameters}}
                .dump());
        return last_id_;
    }

    void tell(const std::string& method, const json& parameters) {
        send(json{{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}}.dump());
    }

    /// The next message; null where none comes.
    json next() {
        while (!process_.canReadLine())
            if (!process_.waitForReadyRead(kLongestWait))
                return nullptr;
        return json::parse(process_.readLine().toStdString());
    }

    /// The next reply, whatever is told before it.
    json reply() {
        json message = next();
        while (message.is_object() && message.contains("method"))
            message = next();
        return message;
    }

    json call(const std::string& tool, const json& arguments) {
        ask("tools/call", {{"name", tool}, {"arguments", arguments}});
        return reply()["result"];
    }

    /// What a call is refused with; empty: it is not.
    std::string refusal(const std::string& tool, const json& arguments) {
        const json result = call(tool, arguments);
        return result.value("isError", false) ? textIn(result) : "";
    }

    static std::string textIn(const json& result, std::size_t at = 0) {
        return result.is_object() ? result["content"][at]["text"].get<std::string>() : "";
    }

    bool ends() {
        process_.closeWriteChannel();
        return process_.waitForFinished(kLongestWait) && process_.exitCode() == 0;
    }

private:
    QProcess process_;
    int last_id_ = 0;
};

/// The folder of the sample models.
inline std::string sampleFolder() {
    return std::filesystem::path(sampleModel("gpt2-mini-6l.h5")).parent_path().string();
}

} // namespace headscope::test

#include "tests/cli/mcp_client.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <set>

namespace test_cli_mcp {

using namespace headscope::test;
namespace {

/// The command's words for arguments that are texts and numbers.
Arguments wordsOf(const std::string& tool, const json& arguments) {
    Arguments words{tool, sampleModel(arguments["model"])};
    if (arguments.contains("head") && tool == "effect")
        words.push_back(arguments["head"]);
    for (const auto& [key, value] : arguments.items()) {
        if (key == "model" || (key == "head" && tool == "effect"))
            continue;
        std::string option = "--" + key;
        std::ranges::replace(option, '_', '-');
        const json values = value.is_array() ? value : json::array({value});
        for (const json& each : values) {
            if (option != "--tokens" || each == values.front()) // both are after its name
                words.push_back(option);
            if (!each.is_boolean())
                words.push_back(each.is_string() ? each.get<std::string>() : each.dump());
        }
    }
    words.emplace_back("--json");
    return words;
}

const char* const kText = "When Mary and John went to the store, John gave a drink to";

} // namespace

class TestCliMcp : public QObject {
    Q_OBJECT

private slots:
    void itSaysWhatItIs() {
        McpClient client({sampleFolder()});
        client.ask("initialize", {{"protocolVersion", "2025-06-18"},
                                  {"capabilities", json::object()},
                                  {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
        const json result = client.reply()["result"];
        QVERIFY(result["protocolVersion"] == "2025-06-18");
        QVERIFY(result["serverInfo"]["name"] == "headscope");
        QVERIFY(result["capabilities"].contains("tools"));
        client.ask("initialize", {{"protocolVersion", "1999-01-01"}});
        QVERIFY(client.reply()["result"]["protocolVersion"] == "2025-06-18");
        client.tell("notifications/initialized", json::object());
        const int ping = client.ask("ping");
        QCOMPARE(client.reply()["id"].get<int>(), ping);
        QVERIFY(client.ends());
    }

    void eachCommandIsATool() {
        McpClient client({sampleFolder()});
        client.ask("tools/list");
        const json tools = client.reply()["result"]["tools"];
        std::set<std::string> names;
        for (const json& tool : tools)
            names.insert(tool["name"]);
        for (const char* const name :
             {"info",   "tokenize",   "run",      "generate", "heads",   "examples",
              "effect", "similarity", "sweep",    "patch",    "edges",   "attribute",
              "why",    "tokens",     "circuits", "lens",     "prompts", "prune",
              "verify", "models",     "rows",     "inside"})
            QVERIFY2(names.contains(name), name);
        for (const char* const name : {"mcp", "export", "convert"}) // which only write
            QVERIFY2(!names.contains(name), name);
        const auto sweep = std::ranges::find(
            tools, "sweep", [](const json& tool) { return tool["name"].get<std::string>(); });
        const json schema = (*sweep)["inputSchema"];
        QVERIFY(schema["required"] == json::array({"model"}));
        const json properties = schema["properties"];
        QVERIFY(properties["ablation"]["enum"] ==
                json({"zero", "mean", "resample", "pattern-preserving"}));
        QVERIFY(properties["ablation"]["default"] == "zero");
        QVERIFY(properties["position"]["type"] == "integer");
        QVERIFY(properties["flip_square"]["type"] == "boolean");
        QVERIFY(properties["tokens"]["type"] == "array");
        QVERIFY(!properties.contains("output") && !properties.contains("json"));
        QVERIFY2(!contains(schema.dump(), "--"), "names of parameters have no hyphens before them");
    }

    void answersAreTheBytesOfTheCommand_data() {
        QTest::addColumn<QByteArray>("tool");
        QTest::addColumn<QByteArray>("arguments");
        const auto row = [](const char* tool, const json& arguments) {
            QTest::newRow(tool) << QByteArray(tool) << QByteArray::fromStdString(arguments.dump());
        };
        const std::string model = "gpt2-mini-6l.h5";
        row("info", {{"model", model}});
        row("tokenize", {{"model", model}, {"text", kText}});
        row("heads", {{"model", "induction-circuit.h5"}, {"types", "induction,previous"}});
        row("effect", {{"model", "induction-circuit.h5"}, {"head", "1.0"}, {"others", 2}});
        row("sweep", {{"model", model},
                      {"text", "When Mary and John went to"},
                      {"heads", "4.1,4.2"},
                      {"metric", "logit-diff"},
                      {"tokens", {" Mary", " John"}}});
        row("patch", {{"model", model},
                      {"clean", "When Mary and John"},
                      {"corrupted", "When Anna and John"},
                      {"hook", "resid_pre"}});
        row("attribute",
            {{"model", model}, {"text", kText}, {"token", " Mary"}, {"against", " John"}});
        row("tokens", {{"model", model}, {"text", kText}, {"methods", "hide"}});
        row("lens", {{"model", model}, {"text", kText}, {"top", 2}});
        row("generate", {{"model", model}, {"text", kText}, {"tokens", 3}, {"temperature", 0.5}});
    }

    void answersAreTheBytesOfTheCommand() {
        QFETCH(QByteArray, tool);
        QFETCH(QByteArray, arguments);
        const json asked = json::parse(arguments.toStdString());
        const CliResult command = runCli(wordsOf(tool.toStdString(), asked));
        QVERIFY2(command.exit_code == 0, command.err.c_str());
        McpClient client({sampleFolder()});
        const json result = client.call(tool.toStdString(), asked);
        QCOMPARE(McpClient::textIn(result), command.out);
        QVERIFY(contains(McpClient::textIn(result, 1), "Looks so far"));
    }

    void schemasAgreeWithThemselves() {
        McpClient client({"--write", sampleFolder(), sampleFolder()});
        client.ask("tools/list");
        for (const json& tool : client.reply()["result"]["tools"])
            for (const auto& [name, schema] : tool["inputSchema"]["properties"].items()) {
                const std::string place = tool["name"].get<std::string>() + ' ' + name;
                QVERIFY2(!schema["description"].get<std::string>().empty(), place.c_str());
                if (!schema.contains("default"))
                    continue;
                const json value = schema["default"];
                if (schema.contains("enum"))
                    QVERIFY2(std::ranges::find(schema["enum"], value) != schema["enum"].end(),
                             place.c_str());
                QVERIFY2(value.is_string() == (schema["type"] == "string"), place.c_str());
                if (schema.contains("minimum"))
                    QVERIFY2(value.get<double>() >= schema["minimum"].get<double>(), place.c_str());
                if (schema.contains("maximum"))
                    QVERIFY2(value.get<double>() <= schema["maximum"].get<double>(), place.c_str());
            }
    }

    void boundsAreThoseOfTheCommand() {
        McpClient client({sampleFolder()});
        client.ask("tools/list");
        const json tools = client.reply()["result"]["tools"];
        const auto property = [&](const char* tool, const char* name) -> json {
            for (const json& each : tools)
                if (each["name"] == tool)
                    return each["inputSchema"]["properties"][name];
            return nullptr;
        };
        QVERIFY(property("generate", "tokens")["minimum"] == 1);
        QVERIFY(property("generate", "temperature")["minimum"] == 0);
        QVERIFY(property("examples", "tokens")["minimum"] == 1);
        QVERIFY(property("lens", "top")["minimum"] == 1);
        QVERIFY(property("rows", "count")["minimum"] == 1);
        QVERIFY(!property("rows", "answer").contains("default"));
        QVERIFY(contains(client.refusal("rows", {{"answer", 1}, {"count", 0}}), "from 1 on"));
        QVERIFY(contains(client.refusal("rows", json::object()), "answer is missing"));
        QVERIFY(
            contains(client.refusal("generate",
                                    {{"model", "gpt2-mini-6l.h5"}, {"text", "a"}, {"tokens", 0}}),
                     "it must be at least 1"));
    }

    void aReportThatSpeaksAgainstTheModelIsAnswered() {
        const std::string model = fixture("bridge-mistral.h5");
        McpClient client({std::filesystem::path(model).parent_path().string()});
        const json result =
            client.call("verify", {{"model", "bridge-mistral.h5"},
                                   {"reference", "bridge-mistral-window.reference.h5"}});
        QVERIFY(result["isError"].get<bool>());
        QCOMPARE(McpClient::textIn(result), std::string("2 checks failed."));
        const json report = json::parse(McpClient::textIn(result, 1));
        QCOMPARE(report["counts"]["failed"].get<int>(), 2);
    }

    void aNameOfACommandIsAHeadLikeAnyOther() {
        McpClient client({sampleFolder()});
        for (const char* const name : {"sweep", "mcp", "verify", "plan"})
            QVERIFY2(contains(client.refusal("effect",
                                             {{"model", "induction-circuit.h5"}, {"head", name}}),
                              "is no head"),
                     name);
        QCOMPARE(runCli({"info", sampleModel("microgpt.h5"), "info"}).exit_code, 2);
    }

    void wrongArgumentsAreNamed() {
        McpClient client({sampleFolder()});
        const auto refusal = [&](const json& arguments) {
            return client.refusal("sweep", arguments);
        };
        const std::string model = "gpt2-mini-6l.h5";
        QVERIFY(contains(refusal({{"model", model}, {"txt", "a"}}), "no parameter 'txt'"));
        QVERIFY(contains(refusal({{"model", model}, {"text", 5}}), "must be of type string"));
        QVERIFY(contains(refusal({{"model", model}, {"text", "a"}, {"position", "x"}}),
                         "must be of type integer"));
        QVERIFY(contains(refusal({{"model", model}, {"text", "a"}, {"flip_square", 1}}),
                         "must be true or false"));
        QVERIFY(contains(refusal({{"model", model}, {"text", "a"}, {"with", {{"a", 1}}}}),
                         "must be a list"));
        QVERIFY(contains(refusal({{"model", model}, {"text", "a"}, {"method", "love"}}),
                         "must be one of exact, gradient"));
        QVERIFY(contains(refusal({{"model", model}, {"text", "a"}, {"position", -1}}),
                         "must be at least 0"));
        QVERIFY(contains(refusal({{"model", model}, {"text", std::string(200'000, 'a')}}),
                         "Put a longer text into a file"));
        QVERIFY(client
                    .refusal("sweep", {{"model", model},
                                       {"text", "a"},
                                       {"heads", "--" + std::string(60'000, 'a')}})
                    .size() < 3000);
        const json result = client.call("sweep", {{"model", model}});
        QVERIFY(result["structuredContent"]["error"] == "wrong usage");
        QCOMPARE(McpClient::textIn(result),
                 std::string("The prompt must be given by exactly one of "
                             "text, ids, text_file and prompts; found 0."));
        QVERIFY(contains(refusal({{"model", model}, {"text", "a"}, {"heads", "99.0"}}), "99"));
        QVERIFY(contains(client.refusal("nothing", json::object()), "no tool nothing"));
        QVERIFY(contains(client.refusal("models", {{"bogus", 1}}), "no parameter 'bogus'"));
        QVERIFY(contains(client.refusal("rows", {{"answer", 1}, {"to", 1}}), "no parameter 'to'"));
        for (const char* const tool : {"models", "info"})
            for (const json& arguments : {json::array({1}), json("x")})
                QVERIFY(contains(client.refusal(tool, arguments), "must be an object"));
    }

    void looksAreCounted() {
        McpClient client({sampleFolder()});
        const json asked{{"model", "induction-circuit.h5"}, {"types", "induction,previous"}};
        QVERIFY(contains(McpClient::textIn(client.call("heads", asked), 1),
                         "16 tests of a head against a type"));
        QVERIFY(contains(McpClient::textIn(client.call("heads", asked), 1), "16 tests"));
        const json other{{"model", "induction-circuit.h5"}, {"types", "duplicate"}};
        QVERIFY(contains(McpClient::textIn(client.call("heads", other), 1), "24 tests"));
        QVERIFY(
            contains(McpClient::textIn(
                         client.call("tokenize", {{"model", "gpt2-mini-6l.h5"}, {"text", "a"}}), 1),
                     "24 tests"));
    }

    void longAnswersAreReadInParts() {
        McpClient client({sampleFolder()});
        const json asked{{"model", "gpt2-mini-6l.h5"}, {"text", kText}, {"top", 20}};
        const CliResult command = runCli(wordsOf("lens", asked));
        const json result = client.call("lens", asked);
        const json shown = json::parse(McpClient::textIn(result));
        const json whole = command.json();
        const std::size_t first = shown["readings"].size();
        QVERIFY(first > 0 && first < whole["readings"].size());
        QVERIFY(contains(McpClient::textIn(result, 1), "headscope://answer/1"));
        const json rows = json::parse(
            McpClient::textIn(client.call("rows", {{"answer", 1}, {"from", first}, {"count", 2}})));
        QVERIFY(rows["readings"][0] == whole["readings"][first]);
        QCOMPARE(rows["readings"].size(), 2u);
        QCOMPARE(rows["of"].get<std::size_t>(), whole["readings"].size());
        client.ask("resources/read", {{"uri", "headscope://answer/1"}});
        QVERIFY(client.reply()["result"]["contents"][0]["text"] == command.out);
        QVERIFY(contains(client.refusal("rows", {{"answer", 7}}), "no answer 7"));
    }

    void progressNeverGoesBack() {
        McpClient client({sampleFolder()});
        client.ask("tools/call", {{"name", "sweep"},
                                  {"arguments", {{"model", "gpt2-mini-6l.h5"}, {"text", kText}}},
                                  {"_meta", {{"progressToken", "p"}}}});
        int told = 0;
        double last = -1.0;
        json message = client.next();
        for (; message.is_object() && message.contains("method"); message = client.next()) {
            const json progress = message["params"];
            QVERIFY(progress["progressToken"] == "p");
            QVERIFY(progress["progress"].get<double>() > last);
            QVERIFY(progress["progress"].get<double>() <= progress["total"].get<double>());
            last = progress["progress"];
            ++told;
        }
        QVERIFY(told > 1);
        QVERIFY(message["result"].contains("content"));
    }

    void aCancelledCallHasNoAnswer() {
        McpClient client({sampleFolder()});
        const json slow{{"name", "verify"}, {"arguments", json::object()}};
        const int running = client.ask("tools/call", slow);
        const int waiting = client.ask("tools/call", slow);
        const int kept = client.ask(
            "tools/call",
            {{"name", "tokenize"}, {"arguments", {{"model", "gpt2-mini-6l.h5"}, {"text", "a"}}}});
        client.tell("notifications/cancelled", {{"requestId", waiting}});
        client.tell("notifications/cancelled", {{"requestId", running}});
        QCOMPARE(client.reply()["id"].get<int>(), kept);
    }

    void whatIsNoRequestIsRefused() {
        McpClient client({sampleFolder()});
        const auto code = [&] { return client.reply()["error"]["code"].get<int>(); };
        client.send("{");
        QCOMPARE(code(), -32700);
        client.send("[]");
        QCOMPARE(code(), -32600);
        client.send(std::string(100'000, '['));
        QCOMPARE(code(), -32700);
        client.send('"' + std::string(std::size_t{5} << 20, 'a') + '"');
        QCOMPARE(code(), -32700);
        client.ask("no/such");
        QCOMPARE(code(), -32601);
        client.ask("resources/read", {{"uri", "file:///etc/passwd"}});
        QCOMPARE(code(), -32002);
        client.send(R"({"jsonrpc": "2.0", "id": null, "method": "ping"})");
        QCOMPARE(code(), -32600);
        client.send(R"({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})");
        QCOMPARE(code(), -32600);
        client.send("\r");
        client.ask("tools/call", 5);
        QVERIFY(client.reply()["result"]["isError"].get<bool>());
        client.ask("ping");
        QVERIFY(client.reply()["result"].is_object());
    }

    void aFigureIsAPicture() {
        McpClient client({sampleFolder()});
        client.ask("tools/list");
        if (!contains(client.reply().dump(), "\"figure\""))
            QSKIP("The window is not built.");
        const json result = client.call(
            "figure", {{"model", "gpt2-mini-6l.h5"}, {"text", "a b a b"}, {"head", "4.1"}});
        QVERIFY(result["content"][0]["mimeType"] == "image/png");
        const auto data = result["content"][0]["data"].get<std::string>();
        const QByteArray picture = QByteArray::fromBase64(QByteArray::fromStdString(data));
        QVERIFY(picture.startsWith("\x89PNG") && picture.size() > 1000);
        QVERIFY(!client.refusal("figure", {{"model", "gpt2-mini-6l.h5"}, {"text", "a"}}).empty());
    }
};

const headscope::test::TestRegistration<TestCliMcp> registration;

} // namespace test_cli_mcp

#include "test_cli_mcp.moc"

#include "tests/cli/mcp_client.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace test_cli_mcp_files {

using namespace headscope::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* kOutside = "below no folder that may be read here";

/// A model without a tokenizer, in a folder of its own.
fs::path modelIn(const fs::path& folder) {
    fs::create_directories(folder);
    fs::copy_file(fixture("bert.h5"), folder / "model.h5");
    return folder / "model.h5";
}

/// Of a WordPiece tokenizer that knows a secret.
void writeVocabulary(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nsecret\n";
}

std::string contentOf(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

const char* const kText = "When Mary and John went to the store, John gave a drink to";

} // namespace

/// What an agent may read and write.
class TestCliMcpFiles : public QObject {
    Q_OBJECT

private slots:
    void aTextIsATextWhateverItLooksLike() {
        const QTemporaryDir folder;
        const std::string evil = folder.path().toStdString() + "/evil.json";
        McpClient client({sampleFolder()});
        for (const std::string& text : {"--output=" + evil, "-o" + evil, evil, std::string("--")}) {
            const json result =
                client.call("tokenize", {{"model", "gpt2-mini-6l.h5"}, {"text", text}});
            QVERIFY(contains(McpClient::textIn(result), "\"tokens\""));
        }
        QVERIFY(!fs::exists(evil));
    }

    void filesElsewhereAreRefused() {
        const QTemporaryDir folder;
        const fs::path inside(folder.path().toStdString());
        fs::copy_file(sampleModel("notebook.h5"), inside / "notebook.h5");
        fs::create_symlink(sampleModel("microgpt.h5"), inside / "link.h5");
        fs::create_symlink("/etc/passwd", inside / "passwd");
        McpClient client({inside.string()});
        QVERIFY(client.refusal("info", {{"model", "notebook.h5"}}).empty());
        const std::string elsewhere = "is not below a folder of this server";
        for (const std::string& path :
             {std::string("/etc/passwd"), std::string("link.h5"), std::string("../"),
              sampleModel("microgpt.h5"), std::string("/no/such/file"),
              (inside / ".." / ".." / "etc" / "passwd").string()})
            QVERIFY2(contains(client.refusal("info", {{"model", path}}), elsewhere), path.c_str());
        const json in{{"model", "notebook.h5"}};
        const auto with = [&](const char* key, const json& value) {
            json arguments = in;
            arguments[key] = value;
            return arguments;
        };
        for (const char* const path : {"/etc/passwd", "passwd", ".."})
            QVERIFY2(contains(client.refusal("run", with("text_file", path)), elsewhere), path);
        for (const char* const path :
             {"list:/etc/passwd", "list:passwd", "taylor,list:../passwd", "list:no"})
            QVERIFY2(contains(client.refusal("prune", with("orders", path)), elsewhere), path);
        QVERIFY(contains(client.refusal("prune", with("orders", "-o/tmp/a.json")), "no '/'"));
        QVERIFY(contains(client.refusal("effect", with("head", "--output")), "hyphen"));
        QVERIFY(contains(client.refusal("run", with("output", "a.npz")), "has no parameter"));
    }

    void partsOfAModelThatAreLinksElsewhereAreRefused() {
        const QTemporaryDir folder;
        const fs::path inside(folder.path().toStdString());
        fs::create_directory(inside / "model");
        fs::copy_file(sampleModel("notebook.h5"), inside / "model" / "model.h5");
        McpClient client({inside.string()});
        QVERIFY(client.refusal("info", {{"model", "model/model.h5"}}).empty());
        fs::create_symlink(inside / "elsewhere", inside / "model" / "config.json");
        fs::create_symlink("/etc/passwd", inside / "elsewhere");
        QVERIFY(contains(client.refusal("info", {{"model", "model/model.h5"}}), "config.json"));
        QVERIFY(contains(client.refusal("info", {{"model", "model"}}), "config.json"));
        QVERIFY(!contains(McpClient::textIn(client.call("models", json::object())), "model.h5"));
        fs::create_directories(inside / "cache" / "snapshots" / "a");
        fs::create_symlink(sampleModel("notebook.h5"),
                           inside / "cache" / "snapshots" / "a" / "model.h5");
        QVERIFY(contains(client.refusal("info", {{"model", "cache"}}), "snapshots"));
    }

    void whatAModelIsMadeOfIsReadBelowTheFoldersAlone() {
        const QTemporaryDir folder;
        const QTemporaryDir other;
        const fs::path inside(folder.path().toStdString());
        const fs::path outside(other.path().toStdString());
        writeVocabulary(outside / "vocab.txt");
        writeVocabulary(inside / "mine" / "vocab.txt");
        modelIn(inside / "mine");
        modelIn(inside / "assets");
        fs::create_directories(inside / "assets" / "assets" / "tokenizer");
        fs::create_symlink(outside / "vocab.txt",
                           inside / "assets" / "assets" / "tokenizer" / "vocab.txt");
        modelIn(inside / "folders");
        fs::create_directory(inside / "folders" / "assets");
        fs::create_directory_symlink(outside, inside / "folders" / "assets" / "tokenizer");
        modelIn(inside / "pieces");
        fs::create_symlink(outside / "vocab.txt", inside / "pieces" / "vocabulary.spm");
        modelIn(inside / "far");
        fs::create_symlink(outside / "vocab.txt", inside / "far" / "vocab.txt");
        fs::create_directories(inside / "cache" / "snapshots");
        fs::create_directory_symlink("../../far", inside / "cache" / "snapshots" / "abc");
        McpClient client({inside.string()});
        const auto refusal = [&](const std::string& model) {
            return client.refusal("tokenize", {{"model", model}, {"text", "secret"}});
        };
        QCOMPARE(refusal("mine/model.h5"), std::string());
        for (const char* const model :
             {"assets/model.h5", "assets", "folders/model.h5", "pieces/model.h5", "far", "cache"})
            QVERIFY2(contains(refusal(model), kOutside), model);
    }

    void theProgramItselfKeepsToFolders() {
        const QTemporaryDir folder;
        const std::string inside = fs::canonical(folder.path().toStdString()).string();
        const std::string model = modelIn(inside).string();
        const auto inFolders = [&](const Arguments& folders, const std::string& output) {
            return runCli(folders + Arguments{"run", model, "--ids", "1,2", "-o", output});
        };
        const std::string read = "--read-below=" + inside;
        const std::string write = "--write-below=" + inside;
        QVERIFY(contains(runCli({"--read-below=/usr", "info", model}).err, kOutside));
        QVERIFY(contains(runCli({write, "info", model}).err, kOutside));
        QCOMPARE(runCli({read, "info", model}).exit_code, 0);
        const std::string taken = inside + "/taken.npz";
        std::ofstream(taken) << "precious";
        for (const char* const name : {"/a.npz", "/a.csv", "/a.h5"}) {
            QVERIFY(contains(inFolders({read}, inside + name).err, "may be written to"));
            QVERIFY(!fs::exists(inside + name));
            const CliResult written = inFolders({read, write}, inside + name);
            QVERIFY2(written.exit_code == 0, written.err.c_str());
        }
        QVERIFY(contains(inFolders({read, write}, taken).err, "is there already"));
        QCOMPARE(contentOf(taken), std::string("precious"));
        QVERIFY(!contains(runCli({"--help"}).out, "-below"));
    }

    void noValueBecomesAnOption() {
        const QTemporaryDir folder;
        const std::string evil = folder.path().toStdString() + "/evil.json";
        McpClient client({sampleFolder()});
        client.ask("tools/list");
        const json tools = client.reply()["result"]["tools"];
        int tried = 0;
        for (const json& tool : tools)
            for (const auto& [name, schema] : tool["inputSchema"]["properties"].items()) {
                if (schema["type"] != "array" && schema["type"] != "string")
                    continue;
                json arguments{{"model", "gpt2-mini-6l.h5"}, {"text", "a"}};
                arguments[name] = schema["type"] == "array" ? json({"a", "b", "--output", evil})
                                                            : json("--output=" + evil);
                if (tool["name"] != "figure" && tool["name"] != "rows")
                    client.call(tool["name"], arguments);
                ++tried;
            }
        QVERIFY(tried > 100);
        QVERIFY(!fs::exists(evil));
        QVERIFY(contains(client.refusal("sweep", {{"model", "gpt2-mini-6l.h5"},
                                                  {"text", "a b"},
                                                  {"metric", "logit-diff"},
                                                  {"tokens", {" a", " b", "--output", evil}}}),
                         "has 4 elements; it must have 2"));
        // CLI11 would make lists of brackets, and an option of what follows.
        for (const std::string& first : Arguments{"[ a, the]", "[]", "[SEP]", "-o" + evil})
            for (const std::string& second :
                 Arguments{"--output=" + evil, "--output", "-o" + evil}) {
                client.call("tokens", {{"model", "gpt2-mini-6l.h5"},
                                       {"text", "a b"},
                                       {"metric", "logit-diff"},
                                       {"methods", "hide"},
                                       {"tokens", {first, second}}});
                client.call("patch", {{"model", "gpt2-mini-6l.h5"},
                                      {"clean", "a b"},
                                      {"corrupted", "a c"},
                                      {"path", {first, second}}});
            }
        QVERIFY(!fs::exists(evil));
    }

    void resultsAreWrittenWhereTheServerMayWrite() {
        const QTemporaryDir folder;
        const QTemporaryDir other;
        const fs::path outside(other.path().toStdString());
        McpClient client({"--write", folder.path().toStdString(), sampleFolder()});
        const auto write = [&](const std::string& path) {
            return client.refusal(
                "lens", {{"model", "gpt2-mini-6l.h5"}, {"text", kText}, {"output", path}});
        };
        QCOMPARE(write("lens.csv"), std::string());
        QVERIFY(fs::exists(fs::path(folder.path().toStdString()) / "lens.csv"));
        fs::create_symlink(outside, fs::path(folder.path().toStdString()) / "way");
        for (const std::string& path : {(outside / "a.csv").string(), std::string("../a.csv"),
                                        std::string("way/a.csv"), std::string("nowhere/a.csv")})
            QVERIFY2(contains(write(path), "may write"), path.c_str());
        QVERIFY(contains(write("lens.csv"), "is there already"));
        fs::create_symlink(outside / "b", fs::path(folder.path().toStdString()) / "b.csv.parts");
        QVERIFY(contains(write("b.csv"), "b.csv.parts is there already"));
        fs::create_symlink(outside / "c", fs::path(folder.path().toStdString()) / "c.recipe.json");
        QVERIFY(contains(write("c.csv"), "c.recipe.json is there already"));
        QVERIFY(fs::is_empty(outside));
    }

    void whatCameToBeThereMeanwhileStays() {
        const QTemporaryDir folder;
        const fs::path inside(folder.path().toStdString());
        McpClient client({"--write", inside.string(), sampleFolder()});
        client.ask("tools/call",
                   {{"name", "heads"}, {"arguments", {{"model", "gpt2-mini-6l.h5"}}}});
        const int last = client.ask(
            "tools/call",
            {{"name", "tokenize"},
             {"arguments", {{"model", "gpt2-mini-6l.h5"}, {"text", "a"}, {"output", "late.csv"}}}});
        client.ask("ping");
        QVERIFY(client.reply()["result"].empty()); // both calls were taken
        std::ofstream(inside / "late.csv") << "precious";
        json reply = client.reply();
        while (reply.is_object() && reply["id"] != last)
            reply = client.reply();
        QVERIFY(contains(reply.dump(), "is there already"));
        QCOMPARE(contentOf(inside / "late.csv"), std::string("precious"));
    }

    void partsOfARunAreReplacedByThoseWhoGoOnAlone() {
        const QTemporaryDir folder;
        const fs::path inside(folder.path().toStdString());
        const std::string parts = (inside / "found.json.parts").string();
        std::ofstream(parts) << "precious";
        McpClient client({"--write", inside.string(), sampleFolder()});
        json asked{{"model", "gpt2-mini-6l.h5"},
                   {"output", "found.json"},
                   {"tokens", 200},
                   {"length", 16}};
        QVERIFY(contains(client.refusal("examples", asked), "found.json.parts is there already"));
        asked["resume"] = true;
        QVERIFY(contains(client.refusal("examples", asked), "parts of another question"));
        QCOMPARE(contentOf(parts), std::string("precious"));
        const CliResult run =
            runCli({"--read-below=" + sampleFolder(), "--write-below=" + inside.string(),
                    "examples", sampleModel("gpt2-mini-6l.h5"), "--tokens", "200", "--length", "16",
                    "-o", (inside / "found.json").string()});
        QVERIFY2(contains(run.err, "is there already"), run.err.c_str());
        QCOMPARE(contentOf(parts), std::string("precious"));
        fs::remove(parts);
        QCOMPARE(client.refusal("examples", asked), std::string());
        QVERIFY(!fs::exists(parts));
    }

    void oneFileIsNotTwoResults() {
        const QTemporaryDir folder;
        McpClient client({"--write", folder.path().toStdString(), sampleFolder()});
        const json asked{
            {"model", "gpt2-mini-6l.h5"}, {"text", "a b c"},    {"head", "4.1"}, {"trace", true},
            {"output", "a.json"},         {"graphml", "a.json"}};
        QVERIFY(contains(client.refusal("why", asked), "twice"));
        QVERIFY(fs::is_empty(folder.path().toStdString()));
    }

    void aFolderIsNeeded() {
        QVERIFY(failedWithOneSentence(runCli({"mcp", "/no/such/folder"}), 1));
        QCOMPARE(runCli({"mcp"}).exit_code, 2);
    }
};

const headscope::test::TestRegistration<TestCliMcpFiles> registration;

} // namespace test_cli_mcp_files

#include "test_cli_mcp_files.moc"

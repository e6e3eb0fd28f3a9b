#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace test_cli_prompt {

using namespace headscope::test;

namespace {

const std::string kMark = "\xEF\xBB\xBF";

CliResult pairs(const std::string& command, const Arguments& more) {
    return runCli(Arguments{command, fixture("bert-pair.h5")} + more);
}

std::vector<int> segmentsOf(const nlohmann::json& tokens) {
    std::vector<int> segments;
    for (const auto& token : tokens)
        segments.push_back(token["segment"].get<int>());
    return segments;
}

} // namespace

/// How commands take prompts.
class TestCliPrompt : public QObject {
    Q_OBJECT

private slots:
    void twoTextsHaveTwoSegments() {
        const std::vector<int> expected{0, 0, 0, 0, 1, 1, 1};
        const Arguments both{"--text", "the cat", "--text-pair", "a dog"};
        const nlohmann::json run = pairs("run", both + Arguments{"--json"}).json();
        QCOMPARE(segmentsOf(run["tokens"]), expected);
        QCOMPARE(segmentsOf(pairs("tokenize", both + Arguments{"--json"}).json()["tokens"]),
                 expected);
        const nlohmann::json typed =
            pairs("run", {"--text", "the cat [SEP] a dog", "--json"}).json();
        QVERIFY(typed["tokens"] == run["tokens"]);
        QVERIFY(typed["predictions"] == run["predictions"]);
        QVERIFY(contains(pairs("run", both).out, "0 for 4 tokens, 1 for the 3 after [SEP]"));

        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("run.npz")).toStdString();
        QCOMPARE(pairs("run", both + Arguments{"-o", path}).exit_code, 0);
        QCOMPARE(readNpz(path).at("token_type_ids").array.integers(),
                 (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1}));
    }

    void everyCommandTakesTwoTexts_data() {
        QTest::addColumn<Arguments>("pair");
        QTest::addColumn<Arguments>("typed");
        const auto row = [](const std::string& command, const Arguments& more) {
            Arguments pair{command, fixture("bert-pair.h5")};
            Arguments typed = pair;
            for (const char* option : {"--text", "--clean", "--corrupted"}) {
                const bool is_of_patch = std::string(option) != "--text";
                if (is_of_patch != (command == "patch"))
                    continue;
                const std::string first =
                    std::string(option) == "--corrupted" ? "the dog [MASK]" : "the cat [MASK]";
                pair = pair + Arguments{option, first, option + std::string("-pair"), "a dog"};
                typed = typed + Arguments{option, first + "[SEP]a dog"};
            }
            const std::string format = command == "run" ? "--json" : "--csv";
            QTest::newRow(command.c_str())
                << pair + more + Arguments{format} << typed + more + Arguments{format};
        };
        const Arguments metric{"--metric", "probability", "--target", "cat"};
        row("run", {});
        row("tokenize", {});
        row("lens", {});
        row("heads", {});
        row("similarity", {});
        row("why", {"--head", "1.0"});
        row("sweep", metric);
        row("tokens", metric);
        row("patch", metric + Arguments{"--hook", "hook_z"});
    }

    /// They answer as for the same text with [SEP] typed, and say what they measured on.
    void everyCommandTakesTwoTexts() {
        QFETCH(Arguments, pair);
        QFETCH(Arguments, typed);
        const CliResult both = runCli(pair);
        QVERIFY2(both.exit_code == 0, both.err.c_str());
        const QString said = QString::fromStdString(both.out).replace(
            QStringLiteral("\"\" with \"\""), QStringLiteral("[SEP]"));
        QCOMPARE(said, QString::fromStdString(runCli(typed).out));
    }

    void twoTextsThatCannotBeReadAreRefused() {
        const CliResult causal =
            runCli({"run", sampleModel("gpt2-mini-6l.h5"), "--text", "a", "--text-pair", "b"});
        QVERIFY(failedWithOneSentence(causal, 1));
        QVERIFY2(contains(causal.err, "does not say how two texts are separated"),
                 causal.err.c_str());
        QVERIFY(failedWithOneSentence(
            pairs("run", {"--text", "a [SEP] cat", "--text-pair", "a dog"}), 1));
        QCOMPARE(pairs("run", {"--text-pair", "a dog"}).exit_code, 2);
        QCOMPARE(pairs("run", {"--ids", "1,2", "--text-pair", "a dog"}).exit_code, 2);
        QVERIFY(failedWithOneSentence(
            pairs("similarity", {"--text", "a", "--text", "b", "--text-pair", "c"}), 1));
    }

    void idsAreRunAsTheyAre() {
        const std::string model = sampleModel("gpt2-mini-6l.h5");
        const nlohmann::json given = runCli({"run", model, "--ids", "1,5", "--json"}).json();
        QCOMPARE(given["tokens"].size(), 2u);
        QVERIFY(given["bos"]["added"] == false);
        QVERIFY(contains(given["bos"]["reason"].get<std::string>(), "as they are given"));
        const nlohmann::json asked =
            runCli({"run", model, "--ids", "1,5", "--bos", "yes", "--json"}).json();
        QCOMPARE(asked["tokens"].size(), 3u);
    }

    void aMarkOfByteOrderIsNoToken() {
        const QTemporaryDir folder;
        const auto file = [&](const char* name, const std::string& content) {
            const std::string path = folder.filePath(QString::fromUtf8(name)).toStdString();
            std::ofstream(path, std::ios::binary) << content;
            return path;
        };
        const std::string model = sampleModel("gpt2-mini-6l.h5");
        const std::string text = "When Mary and John went";
        const auto idsOf = [&](const std::string& path) {
            return runCli({"tokenize", model, "--text-file", path, "--json"}).json()["tokens"];
        };
        QVERIFY(idsOf(file("marked.txt", kMark + text)) == idsOf(file("plain.txt", text)));

        const std::string lines = "{\"text\": \"" + text + "\"}\n";
        const auto meansOf = [](const CliResult& result) { return result.json()["mean_loss"]; };
        const auto plain =
            meansOf(runCli({"prompts", model, file("plain.jsonl", lines), "--json"}));
        const std::string marked = file("marked.jsonl", kMark + lines);
        QVERIFY(meansOf(runCli({"prompts", model, marked, "--json"})) == plain);
        QVERIFY(meansOf(runShell("\"$0\" prompts \"$1\" - --json < '" + marked + "'", {model})) ==
                plain);
        const CliResult utf16 = runCli({"prompts", model,
                                        file("wide.txt", std::string("\xFF\xFE"
                                                                     "a\0",
                                                                     4))});
        QVERIFY(failedWithOneSentence(utf16, 1));
        QVERIFY2(contains(utf16.err, "wide.txt is a text in UTF-16; save it as UTF-8."),
                 utf16.err.c_str());
    }

    void aTableNamesItsColumns() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("names.csv")).toStdString();
        std::ofstream(path) << "label,prompt\n1,\"the cat, the cat\"\n2,a dog\n";
        const nlohmann::json set =
            runCli({"prompts", sampleModel("gpt2-mini-6l.h5"), path, "--json"}).json();
        QCOMPARE(set["prompts"].size(), 2u);
        QVERIFY(set["prompts"][0]["prompt"] == "the cat, the cat");
    }
};

const headscope::test::TestRegistration<TestCliPrompt> registration;

} // namespace test_cli_prompt

#include "test_cli_prompt.moc"

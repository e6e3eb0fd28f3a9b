#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QRegularExpression>
#include <QString>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

namespace test_cli_json_keys {

using namespace headscope::test;

namespace {

// What has a line of its own, and objects whose keys are types of heads, questions or words.
constexpr std::array<std::string_view, 2> kSaidOnce{"provenance", "metric"};
constexpr std::array<std::string_view, 5> kKeyedByNames{"scores", "thresholds", "measured_on",
                                                        "words", "evidence"};

bool isOneOf(const auto& all, const std::string& key) {
    return std::ranges::find(all, key) != all.end();
}

/// The line of app/cli/README.md that begins with the heading.
QString sectionOf(const QString& heading) {
    const QString readme = QString::fromStdString(readFile(HEADSCOPE_CLI_README));
    const qsizetype begin = readme.indexOf(QStringLiteral("\n* `%1`").arg(heading));
    if (begin < 0)
        return {};
    return readme.mid(begin, readme.indexOf(QStringLiteral("\n* "), begin + 1) - begin);
}

/// The first key that the section does not name; empty where it names all.
std::string unsaidKey(const QString& section, const nlohmann::json& json) {
    const bool is_array = json.is_array();
    if (!is_array && !json.is_object())
        return {};
    for (const auto& [key, value] : json.items()) {
        if (!is_array && !section.contains(QRegularExpression(
                             QStringLiteral("\\b%1\\b").arg(QString::fromStdString(key)))))
            return key;
        if (isOneOf(kSaidOnce, key))
            continue;
        if (!isOneOf(kKeyedByNames, key)) {
            if (std::string unsaid = unsaidKey(section, value); !unsaid.empty())
                return unsaid;
            continue;
        }
        for (const nlohmann::json& named : value)
            if (std::string unsaid = unsaidKey(section, named); !unsaid.empty())
                return unsaid;
    }
    return {};
}

} // namespace

/// Every key of the JSON is in app/cli/README.md, where it speaks of the command.
class TestCliJsonKeys : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void areDocumented_data() {
        QTest::addColumn<QString>("heading");
        QTest::addColumn<Arguments>("command");
        const std::string model = sampleModel("induction-circuit.h5");
        const Arguments text{"--text", "a b c d a b c"};
        const Arguments two{"--clean", "a b c a b", "--corrupted", "b a c b a"};
        const Arguments head{"--head", "1.0"};
        const auto row = [&](const char* heading, const char* command, const Arguments& more,
                             const char* name = nullptr) {
            QTest::newRow(name ? name : heading)
                << QString::fromLatin1(heading) << Arguments{command, model} + more;
        };
        row("info", "info", {});
        row("tokenize", "tokenize", text);
        row("run", "run", text + Arguments{"--ablate", "1.0"});
        row("generate", "generate", text + Arguments{"--tokens", "2"});
        row("bench", "bench", {"--tokens", "4"});
        row("heads", "heads", {});
        row("heads --trust", "heads", {"--trust", "--types", "induction"});
        row("examples", "examples", {"--effect", "zero"});
        row("effect", "effect", {"1.0", "--most-sequences", "20", "--backups"});
        row("effect", "effect", {"--type", "induction", "--most-sequences", "20"}, "a type");
        row("sweep", "sweep", text);
        row("patch --hook", "patch", two + Arguments{"--hook", "resid_pre"});
        row("patch --path", "patch", two + Arguments{"--path", "0.0", "1.0:k"});
        row("edges", "edges", two);
        row("edges --circuits", "edges", two + Arguments{"--circuits", "--sizes", "0,3"});
        row("attribute", "attribute", text + Arguments{"--token", "a"});
        row("attribute --backup-of", "attribute",
            text + Arguments{"--token", "a", "--backup-of", "1.0"});
        row("tokens", "tokens", text + Arguments{"--metric", "probability", "--target", "a"});
        row("why", "why", text + head);
        row("why --signals", "why", text + head + Arguments{"--signals", "2"});
        row("why --dimensions", "why", text + head + Arguments{"--dimensions"});
        row("why --dimensions", "why", text + head + Arguments{"--dimensions", "--all-keys"},
            "all keys");
        row("why --trace", "why", text + head + Arguments{"--trace"});
        row("why --remove", "why", text + head + Arguments{"--remove", "key:embedding"});
        row("inside", "inside", text + head);
        row("lens", "lens", text);
        row("similarity", "similarity", text);
        row("circuits --composition", "circuits", {"--composition"});
        row("circuits --copying", "circuits", {"--copying"});
        row("circuits --ov", "circuits", {"--ov", "1.0"});
        row("verify", "verify", {});
        const std::string set = folder_.filePath(QStringLiteral("set.txt")).toStdString();
        std::ofstream(set) << "a b c d a b c\nno such word\n";
        row("prompts", "prompts", {set, "--ablate", "1.0", "--score", "1.0:induction"});
    }

    void areDocumented() {
        QFETCH(QString, heading);
        QFETCH(Arguments, command);
        const CliResult result = runCli(command + Arguments{"--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const QString section = sectionOf(heading);
        QVERIFY2(!section.isEmpty(), "there is no line of this command");
        const std::string unsaid = unsaidKey(section, result.json());
        QVERIFY2(unsaid.empty(), unsaid.c_str());
    }

    /// They are the same in all files.
    void ofProvenanceAreDocumented() {
        const CliResult result =
            runCli({"sweep", sampleModel("induction-circuit.h5"), "--text", "a b", "--json"});
        const nlohmann::json json = result.json();
        QCOMPARE(unsaidKey(sectionOf(QStringLiteral("provenance")), json["provenance"]),
                 std::string());
        QCOMPARE(unsaidKey(sectionOf(QStringLiteral("sweep")), json["metric"]), std::string());
    }
};

const TestRegistration<TestCliJsonKeys> registration;

} // namespace test_cli_json_keys

#include "test_cli_json_keys.moc"

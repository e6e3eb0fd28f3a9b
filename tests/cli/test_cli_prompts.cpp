#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>

namespace test_cli_prompts {

using namespace headscope::test;

class TestCliPrompts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        file_ = folder_.filePath(QStringLiteral("set.txt")).toStdString();
        std::ofstream(file_) << "When Mary and John went to the store, John gave a drink to\n\n"
                                "{\"text\": \"Once upon a time\"}\n{\"x\": 1}\n";
    }

    void jsonHoldsEveryPrompt() {
        const CliResult result = runCli({"prompts", sampleModel("gpt2-mini-6l.h5"), file_,
                                         "--ablate", "4.1", "--score", "4.1:sink", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["prompts"].size(), 2u);
        const nlohmann::json& first = json["prompts"][0];
        QVERIFY(first["best"] == " Mary");
        QCOMPARE(first["tokens"].get<int>(), 15);
        QVERIFY(std::abs(first["loss_ablated"].get<double>() - first["loss"].get<double>() -
                         first["change"].get<double>()) < 1e-9);
        QVERIFY(first["kl"].get<double>() > 1.0);
        QVERIFY(first["score"].get<double>() > 0.5);
        QVERIFY(json["prompts"][1]["prompt"] == "Once upon a time");
        QCOMPARE(json["kept_best"].get<double>(), 0.5);
        QCOMPARE(json["left_out"][0]["line"].get<int>(), 4);
        QVERIFY(json["provenance"]["ablation"] == "zero: 4.1");

        // The same numbers as a run of the prompt alone.
        const nlohmann::json run =
            runCli({"run", sampleModel("gpt2-mini-6l.h5"), "--text",
                    "When Mary and John went to the store, John gave a drink to", "--json"})
                .json();
        QVERIFY(std::abs(run["loss"].get<double>() - first["loss"].get<double>()) < 1e-5);
    }

    void aSetMayComeFromStandardInput() {
        const CliResult piped = runShell("\"$0\" prompts \"$1\" - --json < \"$2\"",
                                         {sampleModel("gpt2-mini-6l.h5"), file_});
        QVERIFY2(piped.exit_code == 0, piped.err.c_str());
        const CliResult read = runCli({"prompts", sampleModel("gpt2-mini-6l.h5"), file_, "--json"});
        QVERIFY(piped.json()["prompts"] == read.json()["prompts"]);
        QVERIFY(piped.json()["set"] == "standard input");
    }

    void peopleReadTheMeans() {
        const CliResult result = runCli({"prompts", sampleModel("gpt2-mini-6l.h5"), file_});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(contains(result.out, "2 prompts of set.txt: loss "), result.out.c_str());
        QVERIFY2(contains(result.out, "left out: 1 line, of which line 4"), result.out.c_str());
        QVERIFY(!contains(result.out, "ablated"));
    }

    void mistakesAreSaid_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* name, QStringList arguments, const char* part) {
            QTest::newRow(name) << std::move(arguments) << QString::fromLatin1(part);
        };
        row("no file", {QStringLiteral("/nowhere/set.txt")}, "/nowhere/set.txt");
        row("no type",
            {QString::fromStdString(file_), QStringLiteral("--score"),
             QStringLiteral("4.1:nonsense")},
            "4.1:induction");
        row("no head",
            {QString::fromStdString(file_), QStringLiteral("--ablate"), QStringLiteral("9.9")},
            "9.9");
    }

    void mistakesAreSaid() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, part);
        Arguments all{"prompts", sampleModel("gpt2-mini-6l.h5")};
        for (const QString& argument : arguments)
            all.push_back(argument.toStdString());
        const CliResult result = runCli(all);
        QVERIFY(failedWithOneSentence(result, 1));
        QVERIFY2(contains(result.err, part.toStdString()), result.err.c_str());
    }

private:
    QTemporaryDir folder_;
    std::string file_;
};

const TestRegistration<TestCliPrompts> registration;

} // namespace test_cli_prompts

#include "test_cli_prompts.moc"

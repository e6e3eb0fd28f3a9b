#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

namespace test_cli_generate {

using namespace headscope::test;

class TestCliGenerate : public QObject {
    Q_OBJECT

private:
    static CliResult generated(std::vector<std::string> more) {
        std::vector<std::string> arguments{"generate", sampleModel("gpt2-mini-6l.h5"), "--text",
                                           "When Mary and John went to the store, John gave a "
                                           "drink to"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return runCli(arguments);
    }

private slots:
    void goesOnAsRunPredicts() {
        const CliResult result = generated({"--tokens", "3", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["tokens"].size(), 3u);
        const nlohmann::json& first = json["tokens"][0];
        QVERIFY(first["piece"] == " Mary");
        QCOMPARE(first["position"].get<int>(), 15);
        QVERIFY(first["probability"].get<double>() > 0.9);
        QVERIFY(json["text"].get<std::string>().starts_with(" Mary"));
        const nlohmann::json second =
            runCli({"run", sampleModel("gpt2-mini-6l.h5"), "--text",
                    "When Mary and John went to the store, John gave a drink to Mary", "--json"})
                .json()["predictions"][0];
        QVERIFY(json["tokens"][1]["piece"] == second["piece"]);
        QVERIFY(std::abs(json["tokens"][1]["probability"].get<double>() -
                         second["probability"].get<double>()) < 1e-4);
    }

    void ablatedHeadsWriteOtherwise() {
        const CliResult result = generated({"--tokens", "2", "--ablate", "4.1,4.2,4.5", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["tokens"][0]["probability"].get<double>() < 0.9);
        QVERIFY(result.json()["provenance"]["ablation"] == "zero: 4.1 4.2 4.5");
    }

    void drawsRepeatBySeed() {
        const auto text = [](const char* seed) {
            return generated({"--temperature", "1.5", "--seed", seed, "--json"}).json()["text"];
        };
        QVERIFY(text("3") == text("3"));
        QVERIFY(text("3") != text("4"));
    }

    void peopleReadTheText() {
        const CliResult result = generated({"--tokens", "1"});
        QVERIFY2(contains(result.out, "John gave a drink to Mary"), result.out.c_str());
    }

    void mistakesAreSaid() {
        QCOMPARE(generated({"--temperature", "-1"}).exit_code, 2);
        QCOMPARE(generated({"--ablate", "99.0"}).exit_code, 1);
        const CliResult bert =
            runCli({"generate", sampleModel("bert-mini-4l.h5"), "--text", "the"});
        QCOMPARE(bert.exit_code, 1);
        QVERIFY(contains(bert.err, "does not predict the next token"));
    }
};

const headscope::test::TestRegistration<TestCliGenerate> registration;

} // namespace test_cli_generate

#include "test_cli_generate.moc"

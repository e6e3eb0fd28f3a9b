#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_cli_effect {

using namespace headscope::test;

namespace {

CliResult effect(const Arguments& more) {
    return runCli(Arguments{"effect", sampleModel("attn-only-2l.h5")} + more);
}

} // namespace

class TestCliEffect : public QObject {
    Q_OBJECT

private slots:
    void jsonHoldsHeadAndOthers() {
        const CliResult result = effect({"0.7", "--json", "--others", "4"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QVERIFY(json["head"] == "0.7");
        QVERIFY(json["matters"] == true);
        QCOMPARE(json["others"].size(), 4u);
        QVERIFY(json["provenance"]["ablation"] == "mean");
    }

    void sentenceNamesTheTypes() {
        const CliResult result = effect({"0.7"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(contains(result.out, "head 0.7 (previous"), result.out.c_str());
        QVERIFY(contains(result.out, "of 10 other heads near it"));
    }

    void ownText() {
        const CliResult result = effect({"0.7", "--json", "--text", "the cat and the cat"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["what"] == "loss");
    }

    void ownIds() {
        const CliResult result =
            runCli({"effect", fixture("llama.h5"), "1.0", "--json", "--ids", "1,5,9,13,5,9,13"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["what"] == "loss");
    }

    void unknownHeadIsRefused() {
        const CliResult result = effect({"7.0"});
        QVERIFY(result.exit_code != 0);
        QVERIFY2(contains(result.err, "7.0"), result.err.c_str());
    }
};

const headscope::test::TestRegistration<TestCliEffect> registration;

} // namespace test_cli_effect

#include "test_cli_effect.moc"

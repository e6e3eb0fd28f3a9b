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
        QVERIFY2(contains(result.out,
                          "): Needed: ablating it by mean raises the loss on the second "
                          "copy by "),
                 result.out.c_str());
        QVERIFY(contains(result.out, "of 10 other heads near it"));
    }

    void theLeastEffectAndBackupsCanBeAskedFor() {
        const CliResult result =
            runCli({"effect", sampleModel("induction-circuit.h5"), "1.0", "--json", "--ablation",
                    "zero", "--least-effect", "2", "--backups", "--most-sequences", "10"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QVERIFY(json["verdict"] == "no effect found" && json["matters"] == false);
        QVERIFY(json["least_effect"] == 2.0);
        QVERIFY(json["backups"][0]["head"] == "1.3");
        QCOMPARE(json["effects"].size(), 1u); // on repeats
        QVERIFY(json["effects"][0]["what"] == "loss on the second copy");
        QVERIFY(json["replaced"].size() == 2 && json["replaced"][0]["ablation"] == "mean");
    }

    void allHeadsOfAType() {
        const std::string circuit = sampleModel("induction-circuit.h5");
        const CliResult result = runCli({"effect", circuit, "--type", "induction", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QVERIFY(json["heads"] == "1.0 1.3" && json["verdict"] == "needed");
        QCOMPARE(json["others"].size(), 1u);
        for (const Arguments& wrong :
             {Arguments{}, Arguments{"1.0", "--type", "induction"},
              Arguments{"--type", "induction", "--backups"}, Arguments{"--type", "inducing"}})
            QVERIFY(runCli(Arguments{"effect", circuit} + wrong).exit_code != 0);
        const CliResult none = runCli({"effect", circuit, "--type", "quotation"});
        QVERIFY(none.exit_code != 0);
        QVERIFY2(contains(none.err, "has the type quotation"), none.err.c_str());
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

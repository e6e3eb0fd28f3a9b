#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace test_cli_patch {

using namespace headscope::test;

namespace {

const Arguments metric{"--metric", "logit-diff", "--tokens", "d", "e"};

CliResult patch(const Arguments& more) {
    return runCli(Arguments{"patch", sampleModel("induction-circuit.h5"), "--clean",
                            "a b c d a b c", "--corrupted", "a b g d a b c"} +
                  metric + more);
}

} // namespace

class TestCliPatch : public QObject {
    Q_OBJECT

private slots:
    void hookJsonHoldsEveryPatch() {
        const CliResult result = patch({"--hook", "resid_pre", "--by", "position", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["patches"].size(), 2u * 8u);
        QVERIFY(json["patches"][0]["hook"] == "blocks.0.hook_resid_pre");
        QVERIFY(json["patches"][0]["head"].is_null());
        QVERIFY(json["patches"][3]["position"] == 3);
        QVERIFY(json["note"].is_null());
        QVERIFY(json["provenance"]["prompt_text"] == "a b c d a b c");
        QCOMPARE(json["corrupted_ids"].size(), 8u);
        // The letter before the d decides: at first where it stands, later where it was moved to.
        QVERIFY(std::abs(json["patches"][3]["normalised"].get<double>() - 1.0) < 1e-3);
        QVERIFY(std::abs(json["patches"][8 + 4]["normalised"].get<double>() - 1.0) < 1e-3);
    }

    void namesMayBeShort() {
        const std::string full = patch({"--hook", "attn.hook_z", "--by", "head", "--csv"}).out;
        QVERIFY(full.starts_with("hook,position,head,value,normalised,"));
        QCOMPARE(std::ranges::count(full, '\n'), 1 + 2 * 4);
        QCOMPARE(patch({"--hook", "hook_z", "--by", "head", "--csv"}).out, full);
        QCOMPARE(patch({"--hook", "z", "--by", "head", "--csv"}).out, full);
        QCOMPARE(
            std::ranges::count(patch({"--hook", "z", "--by", "position,head", "--csv"}).out, '\n'),
            1 + 2 * 8 * 4);
    }

    void pathsShowTheCircuit() {
        const CliResult result = patch({"--path", "all", "1.0:k,1.3:k", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["paths"].size(), 4u);
        QVERIFY(json["receivers"] == "1.0:k 1.3:k");
        QVERIFY(json["paths"][0]["sender"] == "0.0");
        QVERIFY(std::abs(json["paths"][0]["normalised"].get<double>() - 1.0) < 1e-3);
        QVERIFY(std::abs(json["paths"][1]["normalised"].get<double>()) < 1e-3);
        const CliResult csv = patch({"--path", "0.0,0.1", "logits", "--csv"});
        QVERIFY(csv.out.starts_with("sender,receivers,value,normalised,original,other,"));
        QVERIFY(contains(csv.out, "\n0.1,logits,"));
    }

    void gradientEstimatesEveryPatch() {
        const auto run = [](const Arguments& more) {
            return runCli(Arguments{"patch", fixture("gpt2.h5"), "--as-ids", "--clean", "5,17,3",
                                    "--corrupted", "5,9,3", "--hook", "resid_post", "--json"} +
                          more);
        };
        const Arguments probability{"--metric", "probability", "--target", "31"};
        const CliResult result = run(probability + Arguments{"--method", "gradient"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json found = result.json();
        const nlohmann::json exact = run(probability).json();
        QVERIFY(found["method"] == "gradient" && exact["method"] == "exact");
        QCOMPARE(found["patches"].size(), exact["patches"].size());
        QVERIFY(found["patches"] != exact["patches"]);
        QVERIFY(std::abs(found["clean"].get<double>() - exact["clean"].get<double>()) < 1e-6);
        const CliResult refused = run({"--metric", "kl", "--method", "gradient"});
        QVERIFY(refused.exit_code != 0 && contains(refused.err, "whose slope is 0"));
    }

    void idsAreTokensToo() {
        const CliResult result = runCli({"patch", fixture("gpt2.h5"), "--as-ids", "--clean",
                                         "5,17,3", "--corrupted", "5,9,3", "--hook", "mlp_out",
                                         "--metric", "probability", "--target", "31", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["metric"]["token"] == 31);
    }

    void tablesNameBothEnds() {
        const CliResult hook = patch({"--hook", "z", "--by", "position,head"});
        QVERIFY2(hook.exit_code == 0, hook.err.c_str());
        for (const char* word : {"clean logit-diff", "corrupted logit-diff", "head 3", "4 d"})
            QVERIFY2(contains(hook.out, word), word);
        const CliResult path = patch({"--path", "all", "1.0:k"});
        QVERIFY2(path.exit_code == 0, path.err.c_str());
        QVERIFY(contains(path.out, "to 1.0:k"));
    }

    void samePromptsAreSaidToBeTheSame() {
        const CliResult result =
            runCli(Arguments{"patch", sampleModel("induction-circuit.h5"), "--clean", "a b",
                             "--corrupted", "a b", "--hook", "z"} +
                   metric);
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(contains(result.out, "no normalised value."));
    }

    void fileHoldsWhatWouldBePrinted() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/patch.csv";
        QCOMPARE(patch({"--hook", "z", "-o", path}).exit_code, 0);
        QCOMPARE(readFile(path), patch({"--hook", "z", "--csv"}).out);
    }

    void failures_data() {
        QTest::addColumn<Arguments>("arguments");
        QTest::addColumn<std::string>("named");
        QTest::newRow("no such hook") << Arguments{"--hook", "zz"} << std::string("\"zz\"");
        QTest::newRow("many such hooks")
            << Arguments{"--hook", "scale"} << std::string("ln1.hook_scale or ln_final.hook_scale");
        QTest::newRow("no heads there")
            << Arguments{"--hook", "resid_pre", "--by", "head"} << std::string("no heads to go by");
        QTest::newRow("no such sender")
            << Arguments{"--path", "7.0", "logits"} << std::string("7.0");
        QTest::newRow("no receiver")
            << Arguments{"--path", "0.0", "1.0"} << std::string("\"1.0\" is no receiver");
        QTest::newRow("backwards")
            << Arguments{"--path", "1.0", "1.1:k"} << std::string("Head 1.0 cannot send");
    }
    void failures() {
        QFETCH(Arguments, arguments);
        QFETCH(std::string, named);
        const CliResult result = patch(arguments);
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, named), result.err.c_str());
    }

    void promptsOfOtherLengthAreRefused() {
        const CliResult result =
            runCli(Arguments{"patch", sampleModel("induction-circuit.h5"), "--clean", "a b c",
                             "--corrupted", "a b", "--hook", "z"} +
                   metric);
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY(contains(result.err, "give two of the same length"));
    }
};

const headscope::test::TestRegistration<TestCliPatch> registration;

} // namespace test_cli_patch

#include "test_cli_patch.moc"

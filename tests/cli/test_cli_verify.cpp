#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_verify {

using namespace headscope::test;

namespace {

const std::string kMini = "attn-only-2l";
const std::string kMiniOutputs = HEADSCOPE_TEST_DATA "/sample_models/attn-only-2l.reference.h5";

} // namespace

class TestCliVerify : public QObject {
    Q_OBJECT

private slots:
    void programAlone() {
        const CliResult result = runCli({"verify"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(contains(result.out, "none given: only what needs no model was checked"));
        QVERIFY(contains(result.out, "[pass] Induction scores"));
        QVERIFY(!contains(result.out, "FAIL"));
    }

    /// Attention that is open as weights alone.
    void modelThatCannotBeRun() {
        const std::string odd = HEADSCOPE_TEST_DATA "/keras/odd.keras";
        const CliResult text = runCli({"verify", odd});
        QCOMPARE(text.exit_code, 0);
        QVERIFY2(contains(text.out, " not applicable; no check was of this model, which cannot be "
                                    "run\n"),
                 text.out.c_str());
        QVERIFY(runCli({"verify", odd, "--json"}).json()["model_checked"] == false);
    }

    void modelWithReference() {
        const CliResult result =
            runCli({"verify", sampleModel(kMini + ".h5"), "--reference", kMiniOutputs, "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QVERIFY(json["passed"] == true);
        QVERIFY(json["model"]["name"] == kMini);
        QVERIFY(json["counts"]["failed"] == 0);
        QCOMPARE(json["sections"].size(), 9u);
        QVERIFY(json["date"].get<std::string>().ends_with("Z"));
    }

    /// A config that says half the heads, as a wrong export could.
    void wrongExportIsNotVerified() {
        const QTemporaryDir folder;
        const std::string wrong = folder.path().toStdString() + "/wrong.h5";
        QFile sample(QString::fromStdString(sampleModel(kMini + ".h5")));
        QVERIFY(sample.open(QIODevice::ReadOnly));
        QByteArray bytes = sample.readAll();
        QCOMPARE(bytes.count("\"n_head\": 8"), 1);
        bytes.replace("\"n_head\": 8", "\"n_head\": 4");
        QFile file(QString::fromStdString(wrong));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
        file.close();
        const CliResult result = runCli({"verify", wrong});
        QCOMPARE(result.exit_code, 1);
        QVERIFY2(contains(result.err, "The model is not verified: "), result.err.c_str());
        QVERIFY(contains(result.out, "Result     NOT VERIFIED: "));
        QVERIFY2(contains(result.out, "with 8 heads in place of 4, the loss would be lower by "),
                 result.out.c_str());
    }

    /// The reference of the file that `run` writes, with one head ablated, is another model's.
    void failedCheckIsExitCodeOne() {
        const QTemporaryDir folder;
        const std::string outputs = folder.path().toStdString() + "/outputs.h5";
        const Arguments prompt{sampleModel("microgpt.h5"), "--text", "emma"};
        const auto verifyAgainst = [&](const Arguments& more) {
            const CliResult made =
                runCli(Arguments{"run"} + prompt + more + Arguments{"-o", outputs});
            if (made.exit_code != 0)
                qFatal("%s", made.err.c_str());
            return runCli({"verify", prompt.front(), "--reference", outputs});
        };
        const CliResult same = verifyAgainst({"--hooks", "blocks.*.attn.hook_pattern"});
        QVERIFY2(same.exit_code == 0, (same.err + same.out).c_str());
        QVERIFY(contains(same.out, "[pass] blocks.0.attn.hook_pattern"));
        const CliResult other = verifyAgainst({"--ablate", "0.0"});
        QCOMPARE(other.exit_code, 1);
        QVERIFY(contains(other.out, "[FAIL] logits"));
        QVERIFY2(contains(other.err, " failed."), other.err.c_str());
    }

    void misfitIsOneSentence() {
        const CliResult result =
            runCli({"verify", sampleModel("microgpt.h5"), "--reference", kMiniOutputs});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, "does not fit this model"), result.err.c_str());
    }

    void referenceNeedsAModel() {
        const CliResult result = runCli({"verify", "--reference", kMiniOutputs});
        QCOMPARE(result.exit_code, 2);
        QVERIFY(contains(result.err, "--reference needs the MODEL whose outputs it holds."));
    }
};

const headscope::test::TestRegistration<TestCliVerify> registration;

} // namespace test_cli_verify

#include "test_cli_verify.moc"

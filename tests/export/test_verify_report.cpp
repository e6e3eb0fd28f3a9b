#include "core/export/verify_report.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

namespace test_verify_report {

using namespace headscope;

namespace {

VerifyReport sampleReport() {
    VerifyReport report;
    report.app_version = "0.1.0";
    report.date = "2026-01-31T12:00:00Z";
    report.blas = "OpenBLAS, Haswell kernels, 2 threads";
    report.kernels = "AVX2 kernels";
    report.threads = 2;
    report.model_name = "tiny";
    report.model_family = "gpt2";
    report.model_sha256 = "abc";
    report.reference = "/tmp/outputs.h5";
    report.sections = {
        {"Masks",
         {{"Rows sum to 1", Check::Passed, "at most 1e-05", "1.1e-07", "Largest of all heads."},
          {"Windows", Check::NotApplicable, "", "", "No layer has one."}}},
        {"Stored outputs", {{"logits", Check::Failed, "at most 0.0001", "0.001", "5 tokens."}}}};
    return report;
}

} // namespace

class TestVerifyReport : public QObject {
    Q_OBJECT

private slots:
    void textIsStable() {
        const QByteArray expected =
            "Headscope verification report\n"
            "=============================\n"
            "\n"
            "Headscope  0.1.0\n"
            "Date       2026-01-31T12:00:00Z\n"
            "Machine    OpenBLAS, Haswell kernels, 2 threads; AVX2 "
            "kernels\n"
            "Model      tiny (gpt2)\n"
            "SHA-256    abc\n"
            "Reference  /tmp/outputs.h5\n"
            "Result     FAILED: 1 passed, 1 failed, 0 not verified, 1 not applicable\n"
            "\n"
            "Masks\n"
            "-----\n"
            "[pass] Rows sum to 1\n"
            "       expected: at most 1e-05\n"
            "       measured: 1.1e-07\n"
            "       Largest of all heads.\n"
            "[ -- ] Windows\n"
            "       No layer has one.\n"
            "\n"
            "Stored outputs\n"
            "--------------\n"
            "[FAIL] logits\n"
            "       expected: at most 0.0001\n"
            "       measured: 0.001\n"
            "       5 tokens.\n";
        const auto found = QByteArray::fromStdString(verifyText(sampleReport()));
        QCOMPARE(found.split('\n'), expected.split('\n'));
    }

    void withoutAModelTheTextSaysSo() {
        VerifyReport report = sampleReport();
        report.model_name.clear();
        report.reference.clear();
        report.sections.pop_back();
        const std::string text = verifyText(report);
        QVERIFY(text.find("Model      none given: only what needs no model was checked\n") !=
                std::string::npos);
        QVERIFY(text.find("SHA-256") == std::string::npos);
        QVERIFY(text.find(
                    "Result     PASSED: 1 passed, 0 failed, 0 not verified, 1 not applicable\n") !=
                std::string::npos);
        const auto json = nlohmann::json::parse(verifyJson(report));
        QVERIFY(json["model"].is_null() && json["reference"].is_null());
        QVERIFY(json["passed"] == true && json["model_checked"] == false);
    }

    void aModelThatCannotBeRunWasNotChecked() {
        VerifyReport report = sampleReport();
        report.model_checked = false;
        QVERIFY(verifyText(report).find(
                    "Result     FAILED: 1 passed, 1 failed, 0 not verified, 1 not applicable; "
                    "no check was of this model, which cannot be run\n") != std::string::npos);
        QVERIFY(nlohmann::json::parse(verifyJson(report))["model_checked"] == false);
    }

    /// What speaks against a model is neither passed nor failed, and the report is not passed.
    void whatIsNotVerifiedIsNotPassed() {
        VerifyReport report = sampleReport();
        Check& logits = report.sections[1].checks[0];
        logits.outcome = Check::NotVerified;
        QVERIFY(!report.passed());
        const std::string text = verifyText(report);
        QVERIFY2(text.find("Result     NOT VERIFIED: 1 passed, 0 failed, 1 not verified, 1 not "
                           "applicable\n") != std::string::npos,
                 text.c_str());
        QVERIFY(text.find("[ ?? ] logits\n       expected: at most 0.0001\n") != std::string::npos);
        const auto json = nlohmann::json::parse(verifyJson(report));
        QVERIFY(json["passed"] == false);
        QVERIFY(json["counts"]["not verified"] == 1);
        QVERIFY(json["sections"][1]["checks"][0]["outcome"] == "not verified");
        report.sections[0].checks[0].outcome = Check::Failed;
        QCOMPARE(std::string(report.result()), std::string("FAILED"));
    }

    void jsonHoldsEverything() {
        const nlohmann::json expected{
            {"app_version", "0.1.0"},
            {"blas", "OpenBLAS, Haswell kernels, 2 threads"},
            {"counts", {{"passed", 1}, {"failed", 1}, {"not verified", 0}, {"not applicable", 1}}},
            {"date", "2026-01-31T12:00:00Z"},
            {"kernels", "AVX2 kernels"},
            {"model", {{"name", "tiny"}, {"family", "gpt2"}, {"sha256", "abc"}}},
            {"model_checked", true},
            {"passed", false},
            {"reference", "/tmp/outputs.h5"},
            {"sections",
             {{{"name", "Masks"},
               {"checks",
                {{{"name", "Rows sum to 1"},
                  {"outcome", "passed"},
                  {"expected", "at most 1e-05"},
                  {"measured", "1.1e-07"},
                  {"explanation", "Largest of all heads."}},
                 {{"name", "Windows"},
                  {"outcome", "not applicable"},
                  {"expected", ""},
                  {"measured", ""},
                  {"explanation", "No layer has one."}}}}},
              {{"name", "Stored outputs"},
               {"checks", nlohmann::json::array({{{"name", "logits"},
                                                  {"outcome", "failed"},
                                                  {"expected", "at most 0.0001"},
                                                  {"measured", "0.001"},
                                                  {"explanation", "5 tokens."}}})}}}},
            {"threads", 2}};
        const std::string text = verifyJson(sampleReport());
        QCOMPARE(text, expected.dump(2) + "\n");
    }
};

const headscope::test::TestRegistration<TestVerifyReport> registration;

} // namespace test_verify_report

#include "test_verify_report.moc"

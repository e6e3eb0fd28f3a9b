#include "core/verify/verify.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTest>

#include <limits>
#include <set>

namespace test_verify {

using namespace headscope;
using namespace headscope::test;

namespace {

std::string allFailures(const VerifyReport& report) {
    std::string text;
    for (const Section& section : report.sections)
        text += failures(section.checks);
    return text;
}

} // namespace

class TestVerify : public QObject {
    Q_OBJECT

private slots:
    void sampleModelsPass_data() {
        QTest::addColumn<QString>("sample");
        for (const char* name : {"induction-circuit", "attn-only-2l", "gpt2-mini-6l",
                                 "llama-mini-gqa-4l", "bert-mini-4l", "microgpt", "notebook"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void sampleModelsPass() {
        QFETCH(QString, sample);
        VerifyOptions options;
        options.model = loadSample(sample.toStdString());
        options.date = "2026-01-31";
        options.alone = true;
        options.function.kinds = {"Queries, keys and values exchanged"};
        std::set<std::string> stages;
        const auto report = require(verify(options, [&](double fraction, std::string_view stage) {
            QVERIFY(fraction >= 0.0 && fraction <= 1.0);
            stages.emplace(stage);
        }));
        QVERIFY2(report.passed(), allFailures(report).c_str());
        QCOMPARE(report.sections.size(), 8u);
        for (const Section& section : report.sections)
            QVERIFY2(stages.contains(section.name), section.name.c_str());
        QCOMPARE(report.model_sha256, options.model->sha256);
        QCOMPARE(report.date, std::string("2026-01-31"));
    }

    void withoutAModelOnlyTheProgramIsChecked() {
        const auto report = require(verify({}));
        QVERIFY2(report.passed(), allFailures(report).c_str());
        QCOMPARE(report.sections.size(), 2u);
        QVERIFY(report.model_name.empty());
    }

    void settingsAreLeftAloneBesideOthers() {
        VerifyOptions options;
        options.model = loadSample("microgpt");
        const auto report = require(verify(options));
        QVERIFY(checkNamed(report.sections[5].checks, "Threads and kernels").outcome ==
                Check::NotApplicable);
    }

    void modelThatCannotRunIsSaid() {
        Model model = *loadFixture("gpt2");
        model.spec.cannot_run = "It has no positions.";
        VerifyOptions options;
        options.model = std::make_shared<const Model>(std::move(model));
        const auto report = require(verify(options));
        QCOMPARE(report.sections.size(), 3u);
        QCOMPARE(report.count(Check::NotApplicable), 1u);
    }

    /// A network that gives no finite number fails every check of a run instead of ending it.
    void brokenWeightsFail() {
        Model model = *loadFixture("gpt2");
        model.weights.layers[1].attn.W_O.floats()(0, 0) = std::numeric_limits<float>::quiet_NaN();
        VerifyOptions options;
        options.model = std::make_shared<const Model>(std::move(model));
        const auto report = require(verify(options));
        QVERIFY(!report.passed());
        const Check& hooks = report.sections[2].checks.front();
        QVERIFY2(hooks.explanation.find("blocks.1.") != std::string::npos,
                 hooks.explanation.c_str());
    }

    void referenceNeedsItsModel() {
        VerifyOptions options;
        options.reference = sampleReference("gpt2-mini-6l");
        QVERIFY(!verify(options));
        options.model = loadSample("microgpt");
        const auto misfit = verify(options);
        QVERIFY(!misfit && misfit.error().code == ErrorCode::Mismatch);
    }

    void canBeStopped() {
        std::stop_source source;
        source.request_stop();
        VerifyOptions options;
        options.model = loadSample("gpt2-mini-6l");
        const auto stopped = verify(options, {}, source.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestVerify> registration;

} // namespace test_verify

#include "test_verify.moc"

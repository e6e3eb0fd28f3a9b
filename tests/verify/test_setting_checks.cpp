#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "core/verify/checks/run_checks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTest>

#include <limits>

namespace test_setting_checks {

using namespace headscope;
using namespace headscope::test;

class TestSettingChecks : public QObject {
    Q_OBJECT

private slots:
    void samplesPass_data() {
        QTest::addColumn<QString>("sample");
        for (const char* name : {"gpt2-mini-6l", "llama-mini-gqa-4l", "bert-mini-4l"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void samplesPass() {
        QFETCH(QString, sample);
        TokenIds ids;
        for (TokenId id = 0; id < 24; ++id)
            ids.push_back(100 + 7 * id);
        const auto checks = require(settingChecks(loadSample(sample.toStdString()), ids));
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
        QCOMPARE(checks.size(), 1 + kernelNames().size());
    }

    void settingsAreAsBefore() {
        setThreads(3);
        useKernels(kernelNames().front());
        QVERIFY(settingChecks(loadFixture("gpt2"), {1, 2, 3}));
        QCOMPARE(threads(), 3u);
        QCOMPARE(kernelDescription(), std::string(kernelNames().front()) + " kernels");
    }

    void anotherOutputFails() {
        const Tensor expected({2, 3}, 1.0f);
        Tensor found = expected;
        QVERIFY(sameOutputCheck("same", found, expected).outcome == Check::Passed);
        found(1, 2) += 2e-5f;
        QVERIFY(sameOutputCheck("other", found, expected).outcome == Check::Failed);
        found(1, 2) = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(sameOutputCheck("NaN", found, expected).outcome == Check::Failed);
        QVERIFY(sameOutputCheck("shape", Tensor({3, 2}, 1.0f), expected).outcome == Check::Failed);
    }
};

const headscope::test::TestRegistration<TestSettingChecks> registration;

} // namespace test_setting_checks

#include "test_setting_checks.moc"

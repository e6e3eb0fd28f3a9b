#include "core/verify/checks/score_checks.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTest>

namespace test_template_checks {

using namespace headscope;
using namespace headscope::test;

class TestTemplateChecks : public QObject {
    Q_OBJECT

private slots:
    void goldenCase() {
        const auto checks = templateChecks(goldenPattern());
        QCOMPARE(checks.size(), 4u);
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
    }

    void anotherPatternFails() {
        Tensor pattern = goldenPattern();
        pattern(2, 1) += 1e-3f; // counts in every score
        for (const Check& check : templateChecks(pattern))
            QVERIFY2(check.outcome == Check::Failed, check.name.c_str());
    }
};

const headscope::test::TestRegistration<TestTemplateChecks> registration;

} // namespace test_template_checks

#include "test_template_checks.moc"

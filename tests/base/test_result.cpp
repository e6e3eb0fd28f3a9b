#include "core/base/progress.h"
#include "core/base/result.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <memory>

namespace test_result {

using namespace headscope;

class TestResult : public QObject {
    Q_OBJECT

private slots:
    void holdsAValue() {
        Result<std::string> result(std::string("gpt2"));
        QVERIFY(result);
        QCOMPARE(*result, std::string("gpt2"));
        *result += "-mini";
        QCOMPARE(result->size(), std::size_t{9});
    }

    void holdsAnError() {
        const Result<int> result(Error{ErrorCode::NotFound, "No such head."});
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::NotFound);
        QCOMPARE(result.error().message, std::string("No such head."));
    }

    void givesItsValueAway() {
        Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
        const std::unique_ptr<int> value = *std::move(result);
        QCOMPARE(*value, 7);
    }

    void voidIsDoneOrFailed() {
        QVERIFY(Result<void>());
        const Result<void> failed(Error{ErrorCode::WriteFailed, "The disk is full."});
        QVERIFY(!failed);
        QCOMPARE(failed.error().message, std::string("The disk is full."));
    }

    void progressReachesItsListener() {
        double seen = 0.0;
        std::string stage;
        report([&](double fraction, std::string_view text) { seen = fraction, stage = text; }, 0.5,
               "reading blocks.3");
        report({}, 1.0, "nobody listens");
        QCOMPARE(seen, 0.5);
        QCOMPARE(stage, std::string("reading blocks.3"));
    }
};

const headscope::test::TestRegistration<TestResult> registration;

} // namespace test_result

#include "test_result.moc"

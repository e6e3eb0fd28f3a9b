#include "core/engine/engine.h"
#include "core/verify/checks/run_checks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTest>

namespace test_hook_checks {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds kIds{5, 17, 3, 42, 5, 17, 9};

HookAudit firedTimes(std::size_t times) {
    HookAudit audit;
    audit.fired = times;
    return audit;
}

std::shared_ptr<const Run> editedRun(const std::shared_ptr<const Model>& model, float added) {
    HookSet hooks;
    hooks.edit("blocks.0.attn.hook_z",
               [added](HookPoint, const MutableTensorView& z) { z(1, 0, 0) += added; });
    return require(runModel(model, kIds, {}, hooks));
}

} // namespace

class TestHookChecks : public QObject {
    Q_OBJECT

private slots:
    void everyFamilyPasses_data() {
        QTest::addColumn<QString>("fixture");
        for (const char* name : {"gpt2", "llama-gqa", "bert", "gemma2", "olmo2", "gptj", "qwen3"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void everyFamilyPasses() {
        QFETCH(QString, fixture);
        const auto checks = require(hookChecks(loadFixture(fixture.toStdString()), kIds));
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
    }

    void networkWithoutVocabularyPasses() {
        const auto checks = require(hookChecks(loadSample("notebook"), {0, 1, 2}));
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
    }

    void missedPointFails() {
        const std::vector once{firedTimes(1), firedTimes(1)};
        QVERIFY(firedCheck(once, 0).outcome == Check::Passed);
        QVERIFY(firedCheck(once, 1).outcome == Check::Failed);
        QVERIFY(firedCheck(std::vector{firedTimes(1), firedTimes(0)}, 0).outcome == Check::Failed);
        QVERIFY(firedCheck(std::vector{firedTimes(1), firedTimes(2)}, 0).outcome == Check::Failed);
    }

    void editThatChangesFails() {
        const auto model = loadFixture("gpt2");
        const auto plain = editedRun(model, 0.0f);
        const auto edited = editedRun(model, 1e-4f);
        QVERIFY(identityEditCheck(std::vector<WatchedAndEdited>{{plain, plain}}).outcome ==
                Check::Passed);
        QVERIFY(identityEditCheck(std::vector<WatchedAndEdited>{{plain, plain}, {plain, edited}})
                    .outcome == Check::Failed);
        QVERIFY(identityEditCheck(std::vector<WatchedAndEdited>{{edited, plain}}).outcome ==
                Check::Failed);
    }
};

const headscope::test::TestRegistration<TestHookChecks> registration;

} // namespace test_hook_checks

#include "test_hook_checks.moc"

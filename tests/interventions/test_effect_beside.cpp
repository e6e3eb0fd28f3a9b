// What a head costs where others are ablated already.

#include "core/heads/sequences.h"
#include "core/interventions/effect_beside.h"
#include "core/interventions/set_effect.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <utility>

namespace test_effect_beside {

using namespace headscope;
using namespace headscope::test;

namespace {

const LayerHead kInduction{1, 0};
const LayerHead kItsBackup{1, 3};

} // namespace

class TestEffectBeside : public QObject {
    Q_OBJECT

private slots:
    // Without both nothing is known of the second copy, and without one of them all is.
    void aHeadWithABackupIsFound() {
        const auto model = loadSample("induction-circuit");
        const EffectInput input{require(repeatedRandomSequences(*model, {})), 5};
        const EffectBeside result = require(
            effectBeside(model, input,
                         {.head = kInduction, .others = {kItsBackup}, .by = {AblationKind::Zero}}));
        QVERIFY2(std::abs(result.difference - std::log(28.0)) < 0.01,
                 std::to_string(result.difference).c_str());
        QVERIFY(result.counts());
        QCOMPARE(result.sequences, std::size_t{5}); // clear at the first look
        QVERIFY(result.measure == EffectMeasure::SecondCopyLoss);
        const std::string text = effectBesideText(result);
        QVERIFY2(text.starts_with(
                     "Where 1.3 is ablated, too, ablating it raises the loss on the second copy by "
                     "3.33") &&
                     text.ends_with("5 sequences), so 1.3 makes up for it."),
                 text.c_str());
    }

    void othersThatDoSomethingElseAreNoBackup() {
        const auto model = loadSample("induction-circuit");
        const EffectInput input{require(repeatedRandomSequences(*model, {})), 0};
        const EffectBeside result =
            require(effectBeside(model, input, {.head = kInduction, .others = {{1, 1}, {1, 2}}}));
        QVERIFY(!result.counts());
        QVERIFY(std::abs(result.difference) < result.least);
        const std::string text = effectBesideText(result);
        QVERIFY2(text.starts_with("Where 1.1 1.2 are ablated, too, ") &&
                     text.ends_with("10 sequences)."),
                 text.c_str());
    }

    // Of heads that cost something themselves, only what the head adds.
    void isWhatTheHeadAdds() {
        const auto model = loadSample("gpt2-mini-6l");
        const EffectInput input{
            require(repeatedRandomSequences(*model, {.sequences = 3, .period = 10})), 0};
        const HeadSet others{{0, 0}, {4, 2}};
        const EffectBeside result =
            require(effectBeside(model, input, {.head = {4, 1}, .others = others}));
        const auto cost = [&](HeadSet heads) {
            return require(setEffect(model, input, {.heads = std::move(heads), .sets = 1}))
                .difference;
        };
        const double alone = cost(others);
        QVERIFY(std::abs(alone) > 0.1);
        QVERIFY(std::abs(result.difference - (cost({{0, 0}, {4, 1}, {4, 2}}) - alone)) < 1e-6);
    }

    void refusals() {
        const auto model = loadSample("induction-circuit");
        QVERIFY(!effectBeside(model, {}, {.head = kInduction, .others = {kItsBackup}}));
        const EffectInput input{require(repeatedRandomSequences(*model, {})), 0};
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = effectBeside(
            model, input, {.head = kInduction, .others = {kItsBackup}}, {}, stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestEffectBeside> registration;

} // namespace test_effect_beside

#include "test_effect_beside.moc"

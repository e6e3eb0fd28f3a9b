#include "core/engine/engine.h"
#include "core/verify/checks/head_sum_checks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTest>

#include <cmath>

namespace test_head_sum_checks {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds kTokens{5, 17, 3, 42, 5, 17, 9};

} // namespace

class TestHeadSumChecks : public QObject {
    Q_OBJECT

private slots:
    void everyFamilyPasses_data() {
        QTest::addColumn<QString>("fixture");
        for (const std::string& name : fixtureNames())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void everyFamilyPasses() {
        QFETCH(QString, fixture);
        const auto checks = require(headSumChecks(loadFixture(fixture.toStdString()), kTokens));
        QCOMPARE(checks.size(), 2u);
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
    }

    /// The model writes what another, with one head's W_O scaled by 1.001, would not.
    void scaledHeadIsFound_data() {
        QTest::addColumn<QString>("fixture");
        for (const char* name : {"gpt2", "llama-gqa", "bert", "gemma2", "olmo2"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void scaledHeadIsFound() {
        QFETCH(QString, fixture);
        const auto model = loadFixture(fixture.toStdString());
        HookSet hooks;
        addHeadSumHooks(hooks);
        const auto run = require(runModel(model, kTokens, {}, hooks));
        QVERIFY(headSumCheck(*model, *run).outcome == Check::Passed);
        Model scaled = *model;
        for (std::size_t i = 0; i < scaled.spec.d_head; ++i)
            for (std::size_t c = 0; c < scaled.spec.d_model; ++c)
                scaled.weights.layers[1].attn.W_O.floats()(scaled.spec.d_head + i, c) *= 1.001f;
        QVERIFY(headSumCheck(scaled, *run).outcome == Check::Failed);
        QVERIFY(require(zeroedHeadsCheck(*model, *run)).outcome == Check::Passed);
        QVERIFY(require(zeroedHeadsCheck(scaled, *run)).outcome == Check::Failed);
    }

    void zeroingLeavesTheOtherHeads() {
        const auto model = loadFixture("gpt2");
        Tensor z({1, model->spec.n_heads, model->spec.d_head}, 1.0f);
        const Tensor all = attentionOutput(*model, 0, z);
        const Tensor without = attentionOutput(*model, 0, z, 2);
        const Tensor W_O = model->weights.layers[0].attn.W_O.widened();
        double part = 0.0;
        for (std::size_t i = 0; i < model->spec.d_head; ++i)
            part += double{W_O(2 * model->spec.d_head + i, 3)};
        QVERIFY(std::abs(double{all(0u, 3u)} - double{without(0u, 3u)} - part) < 1e-6);
    }
};

const headscope::test::TestRegistration<TestHeadSumChecks> registration;

} // namespace test_head_sum_checks

#include "test_head_sum_checks.moc"

#include "core/verify/checks/induction_circuit.h"
#include "core/verify/checks/score_checks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTest>

#include <algorithm>

namespace test_circuit_checks {

using namespace headscope;
using namespace headscope::test;

namespace {

bool same(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && std::ranges::equal(a.values(), b.values());
}

} // namespace

class TestCircuitChecks : public QObject {
    Q_OBJECT

private slots:
    void memoryHoldsWhatTheFileHolds() {
        const auto made = inductionCircuit();
        const auto read = loadSample("induction-circuit");
        QVERIFY(same(made->weights.W_E.floats(), read->weights.W_E.floats()));
        QVERIFY(same(made->weights.W_pos.floats(), read->weights.W_pos.floats()));
        for (std::size_t layer = 0; layer < 2; ++layer) {
            const LayerWeights& a = made->weights.layers[layer];
            const LayerWeights& b = read->weights.layers[layer];
            QVERIFY(same(a.ln1.weight, b.ln1.weight) &&
                    same(a.attn.W_QKV.floats(), b.attn.W_QKV.floats()));
            QVERIFY(same(a.attn.b_QKV, b.attn.b_QKV) &&
                    same(a.attn.W_O.floats(), b.attn.W_O.floats()));
        }
        QCOMPARE(made->spec.n_ctx, read->spec.n_ctx);
        QVERIFY(made->spec.bos_token == read->spec.bos_token);
        QVERIFY(made->spec.attention_scale == read->spec.attention_scale);
        QCOMPARE(made->tokenizer->vocabularySize(), read->tokenizer->vocabularySize());
    }

    void allPass() {
        const auto checks = require(circuitChecks(inductionCircuit()));
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
        QCOMPARE(checks.size(), 7u);
    }

    /// Without the previous-token head's output induction has nothing to match.
    void cutWireIsFound() {
        Model broken = *inductionCircuit();
        for (std::size_t i = 0; i < broken.spec.d_head; ++i)
            for (std::size_t c = 0; c < broken.spec.d_model; ++c)
                broken.weights.layers[0].attn.W_O.floats()(i, c) *= 0.5f;
        const auto checks = require(circuitChecks(std::make_shared<const Model>(broken)));
        for (const char* name : {"Induction scores", "Next-token loss", "Template score"})
            QVERIFY2(checkNamed(checks, name).outcome == Check::Failed, name);
        QVERIFY(checkNamed(checks, "Duplicate token scores").outcome == Check::Passed);
    }

    void aSlightlyWrongHeadIsFound() {
        Model broken = *inductionCircuit();
        // The uniform head now looks a little more at BOS.
        broken.weights.layers[0].attn.W_QKV.floats()(0, 32 + 3 * 8 + 7) = 1e-3f;
        broken.weights.layers[0].attn.b_QKV(3 * 8 + 7) = 1.0f;
        const auto checks = require(circuitChecks(std::make_shared<const Model>(broken)));
        const Check& previous = checkNamed(checks, "Previous token scores");
        QVERIFY(previous.outcome == Check::Failed);
        QVERIFY2(previous.measured.ends_with("at 0.3"), previous.measured.c_str());
    }
};

const headscope::test::TestRegistration<TestCircuitChecks> registration;

} // namespace test_circuit_checks

#include "test_circuit_checks.moc"

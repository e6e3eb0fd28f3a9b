#include "core/circuits/factors/head_circuits.h"
#include "core/engine/rotary.h"
#include "core/model/rotary_frequencies.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

namespace test_head_circuits {

using namespace headscope;
using namespace headscope::test;

namespace {

double norm(const Tensor& x) {
    return std::sqrt(elementwiseSum(x.matrix(), x.matrix()));
}

/// [1, d_head], numbers without a pattern.
Tensor vectorOf(std::size_t d_head, int seed) {
    Tensor x({1, d_head});
    for (std::size_t i = 0; i < d_head; ++i)
        x.data()[i] = static_cast<float>(std::sin(1.7 * static_cast<double>(i) + seed));
    return x;
}

Tensor rotated(const RotaryTable& table, Tensor x, std::size_t position) {
    applyRotary(table, 1, position, x.matrix());
    return x;
}

double product(const Tensor& x, const Tensor& y) {
    return elementwiseSum(x.matrix(), y.matrix());
}

} // namespace

class TestHeadCircuits : public QObject {
    Q_OBJECT

private slots:
    void ovOfAConstructedHead() {
        Model model = bareModel({});
        valueWeights(model, {0, 0})(3, 1) = 2.0f;
        outputWeights(model, {0, 0})(1, 0) = 5.0f;
        const FactoredMatrix ov = ovCircuit(foldWeights(model), {0, 0});
        QVERIFY((ov.left.shape() == Shape{4, 2}));
        QVERIFY((ov.right.shape() == Shape{2, 4}));
        const Tensor whole = multipliedOut(ov);
        QCOMPARE(whole(3, 0), 10.0f);
        QCOMPARE(norm(whole), 10.0);
        QCOMPARE(frobeniusNorm(ov), 10.0);
    }

    void qkOfAConstructedHead() {
        Model model = bareModel({});
        queryWeights(model, {0, 0})(2, 1) = 2.0f;
        keyWeights(model, {0, 0})(1, 1) = 3.0f;
        const auto qk = qkCircuit(foldWeights(model), {0, 0});
        QVERIFY(qk);
        QCOMPARE(multipliedOut(*qk)(2, 1), 6.0f); // query token 2, key token 1
    }

    /// numpy.linalg.norm of the whole matrices in float64.
    void normsOfSampleHeads() {
        const FoldedWeights gpt2 = foldWeights(loadSample("gpt2-mini-6l"));
        QVERIFY(std::abs(frobeniusNorm(ovCircuit(gpt2, {4, 1})) - 19.185965476) < 1e-4);
        QVERIFY(std::abs(frobeniusNorm(*qkCircuit(gpt2, {4, 1})) - 10.763368943) < 1e-4);
        const FoldedWeights llama = foldWeights(loadSample("llama-mini-gqa-4l"));
        const auto one = qkCircuit(llama, {2, 4}, 1);
        QVERIFY(std::abs(frobeniusNorm(*one) - 12.317594464) < 1e-4);
        QVERIFY(std::abs(multipliedOut(*one)(3, 9) - 0.000466843944) < 1e-6);
        const auto ahead = qkCircuit(llama, {2, 4}, -2);
        QVERIFY(std::abs(multipliedOut(*ahead)(3, 9) - 0.006093474361) < 1e-6);
    }

    /// q · R · kᵀ against queries and keys turned at their own positions.
    void rotationIsThatOfTheEngine_data() {
        QTest::addColumn<std::string>("name");
        for (const char* name : {"llama", "gptj", "gpt_neox", "phi", "llama3-rope", "rope-yarn"})
            QTest::newRow(name) << std::string(name);
    }
    void rotationIsThatOfTheEngine() {
        QFETCH(std::string, name);
        const ModelSpec spec = loadFixture(name)->spec;
        const RotaryTable table = rotaryTable(spec.rotary, 24);
        const Tensor q = vectorOf(spec.d_head, 1);
        const Tensor k = vectorOf(spec.d_head, 2);
        for (const auto& [query, key] : {std::pair{9, 9}, {12, 7}, {3, 20}}) {
            const double expected = product(rotated(table, q, static_cast<std::size_t>(query)),
                                            rotated(table, k, static_cast<std::size_t>(key)));
            const Tensor R = rotation(spec, 0, query - key);
            double found = 0.0;
            for (std::size_t i = 0; i < spec.d_head; ++i)
                for (std::size_t j = 0; j < spec.d_head; ++j)
                    found += q(0, i) * R(i, j) * k(0, j);
            QVERIFY2(std::abs(found - expected) < 1e-5, std::to_string(found - expected).c_str());
        }
    }

    void layersWithAWindowTurnTheirOwnWay() {
        const ModelSpec spec = loadFixture("gemma3")->spec;
        QVERIFY(spec.window_rotary);
        std::size_t windowed = 0;
        for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
            const bool window = spec.window(layer) != 0;
            windowed += window ? 1 : 0;
            const auto frequencies =
                rotaryFrequencies(window ? *spec.window_rotary : spec.rotary, 6);
            const float expected = static_cast<float>(std::cos(5.0 * frequencies[1]));
            QVERIFY(std::abs(rotation(spec, layer, 5)(1, 1) - expected) < 1e-6f);
        }
        QVERIFY(windowed > 0 && windowed < spec.n_layers);
    }

    void rotaryNeedsAnOffset() {
        const FoldedWeights llama = foldWeights(loadSample("llama-mini-gqa-4l"));
        const auto undefined = qkCircuit(llama, {0, 0});
        QVERIFY(!undefined);
        QVERIFY(undefined.error().message.find("not defined without an offset") !=
                std::string::npos);
        QVERIFY(qkCircuit(llama, {0, 0}, -255));
        const auto beyond = qkCircuit(llama, {0, 0}, 256);
        QVERIFY(!beyond);
        QCOMPARE(beyond.error().message,
                 std::string("An offset of 256 is beyond the context of 256 tokens."));
    }

    void layersWithoutTurnsIgnoreTheOffset() {
        const FoldedWeights smollm3 = foldWeights(loadFixture("smollm3"));
        QVERIFY(!rotation(smollm3.spec(), 0, 3).empty());
        QVERIFY(rotation(smollm3.spec(), 1, 3).empty());
        QCOMPARE(frobeniusNorm(*qkCircuit(smollm3, {1, 3}, 3)),
                 frobeniusNorm(*qkCircuit(smollm3, {1, 3}, 0)));
    }

    void othersIgnoreTheOffset() {
        const FoldedWeights gpt2 = foldWeights(loadSample("attn-only-2l"));
        QVERIFY(rotation(gpt2.spec(), 0, 3).empty());
        QCOMPARE(frobeniusNorm(*qkCircuit(gpt2, {1, 3}, 3)),
                 frobeniusNorm(*qkCircuit(gpt2, {1, 3})));
    }
};

const headscope::test::TestRegistration<TestHeadCircuits> registration;

} // namespace test_head_circuits

#include "test_head_circuits.moc"

#include "core/engine/engine.h"
#include "core/model/random_model.h"
#include "core/model/weight_role.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_random_model {

using namespace headscope;
using namespace headscope::test;

namespace {

/// Vectors that some networks of a kind have and others do not.
bool isBias(const RoleInfo& role) {
    return role.isVector() && !role.name.ends_with(".w");
}

bool sameValues(const Weights& a, const Weights& b, const RoleInfo& role) {
    return std::ranges::equal(widened(matrixOf(role.tensor.read(a, 0))).values(),
                              widened(matrixOf(role.tensor.read(b, 0))).values());
}

/// GPT-2 with everything small, so that it is made at once.
ModelSpec smallSpec() {
    ModelSpec spec = gpt2SmallShape(16);
    spec.n_layers = 2;
    spec.d_vocab = 100;
    return spec;
}

} // namespace

class TestRandomModel : public QObject {
    Q_OBJECT

private slots:
    void hasWhatALoadedModelHas_data() {
        QTest::addColumn<std::string>("name");
        for (const auto& names : {fixtureNames(), variantNames()})
            for (const std::string& name : names)
                QTest::newRow(name.c_str()) << name;
    }
    /// Of every kind of network: the same tensors apart from biases, and from gains, which OLMo's
    /// norms lack, each in its shape; and it runs.
    void hasWhatALoadedModelHas() {
        QFETCH(std::string, name);
        const auto loaded = loadFixture(name);
        const auto random = headscope::randomModel(loaded->spec, 1);
        for (const RoleInfo& role : weightRoles()) {
            const Parameter tensor = role.tensor.read(random->weights, 0);
            const Parameter expected = role.tensor.read(loaded->weights, 0);
            const bool left_out = sizeOf(expected) == 0 && role.name.ends_with(".w");
            if (!isBias(role) && !left_out)
                QVERIFY2(shapeOf(tensor) == shapeOf(expected), role.name.data());
            if (sizeOf(tensor) > 0)
                QVERIFY2(shapeOf(tensor) == role.tensorShape(loaded->spec), role.name.data());
        }
        QVERIFY(runModel(random, {1, 2, 3}));
    }

    void bytesAreThoseOfTheWeights() {
        const ModelSpec spec = smallSpec();
        const auto model = headscope::randomModel(spec, 1);
        std::size_t floats = 0;
        for (const RoleInfo& role : weightRoles())
            for (std::size_t layer = 0; layer < (role.isPerLayer() ? 2 : 1); ++layer)
                if (!role.isPart())
                    floats += sizeOf(role.tensor.read(model->weights, layer));
        QCOMPARE(randomModelBytes(spec), floats * sizeof(float));
        QCOMPARE(model->report.weight_bytes, floats * sizeof(float));
    }

    void shapesHaveTheirParameters() {
        QCOMPARE(randomModelBytes(gpt2SmallShape()), std::size_t{124'439'808} * 4);
        QCOMPARE(randomModelBytes(llama1bShape()), std::size_t{1'100'048'384} * 4);
    }

    void seedDecides() {
        const auto first = headscope::randomModel(smallSpec(), 1);
        const auto again = headscope::randomModel(smallSpec(), 1);
        const auto other = headscope::randomModel(smallSpec(), 2);
        const RoleInfo& W_in = roleInfo(WeightRole::W_in);
        QVERIFY(sameValues(first->weights, again->weights, W_in));
        QVERIFY(!sameValues(first->weights, other->weights, W_in));
        QVERIFY(!std::ranges::equal(first->weights.layers[0].mlp.W_in.floats().values(),
                                    first->weights.layers[1].mlp.W_in.floats().values()));
    }

    void valuesAreNormal() {
        const auto model = headscope::randomModel(smallSpec(), 1);
        const auto values = model->weights.layers[0].mlp.W_in.floats().values();
        double sum = 0.0;
        double squares = 0.0;
        std::size_t near = 0;
        for (const float value : values) {
            sum += value;
            squares += static_cast<double>(value) * value;
            near += std::abs(value) < 0.02f;
        }
        const double n = static_cast<double>(values.size());
        // Of 2.4 million: the error of the mean is 1.3e-5.
        QVERIFY(std::abs(sum / n) < 1e-4);
        QVERIFY(std::abs(std::sqrt(squares / n) - 0.02) < 1e-4);
        // Within one deviation: 0.683 of a normal distribution, 0.577 of a uniform one.
        QVERIFY(std::abs(static_cast<double>(near) / n - 0.683) < 0.02);
        QVERIFY(std::ranges::all_of(model->weights.ln_final.weight.values(),
                                    [](float gain) { return gain == 1.0f; }));
    }
};

const headscope::test::TestRegistration<TestRandomModel> registration;

} // namespace test_random_model

#include "test_random_model.moc"

#include "core/circuits/ov_directions.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace test_ov_directions {

using namespace headscope;
using namespace headscope::test;

namespace {

void checkReading(const TokenAlong& found, int token, double value) {
    QCOMPARE(found.token, token);
    QVERIFY2(std::abs(found.value - value) < 1e-5, std::to_string(found.value).c_str());
}

} // namespace

class TestOvDirections : public QObject {
    Q_OBJECT

private slots:
    /// Reads token 3 and writes token 1 with 6, reads token 0 and writes −token 2 with 2.
    void constructedHead() {
        Model model = bareModel({});
        valueWeights(model, {0, 0})(3, 0) = 2.0f;
        outputWeights(model, {0, 0})(0, 1) = 3.0f;
        valueWeights(model, {0, 0})(0, 1) = -1.0f;
        outputWeights(model, {0, 0})(1, 2) = 2.0f;
        const auto found = ovDirections(foldWeights(model), {0, 0}, 5, 2);
        QVERIFY(found);
        QCOMPARE(found->size(), 2u);
        const OvDirection& first = (*found)[0];
        QVERIFY(std::abs(first.singular_value - 6.0) < 1e-5);
        QCOMPARE(first.reads.size(), 2u);
        checkReading(first.reads[0], 3, 1.0);
        checkReading(first.writes[0], 1, 1.0);
        const OvDirection& second = (*found)[1];
        QVERIFY(std::abs(second.singular_value - 2.0) < 1e-5);
        checkReading(second.reads[0], 0, 1.0);
        // What is written lies at −1, so that the others are above it.
        QVERIFY(std::abs(second.writes[0].value) < 1e-5);
    }

    /// numpy.linalg.svd of the whole W_OV in float64.
    void sampleHead() {
        const auto found = ovDirections(foldWeights(loadSample("gpt2-mini-6l")), {4, 1}, 2, 3);
        QVERIFY(found);
        QCOMPARE(found->size(), 2u);
        const OvDirection& first = (*found)[0];
        QVERIFY(std::abs(first.singular_value - 5.196034582) < 1e-5);
        checkReading(first.reads[0], 2557, 0.392744605);
        checkReading(first.reads[1], 3505, 0.340495779);
        checkReading(first.reads[2], 2654, 0.331995664);
        checkReading(first.writes[0], 3109, 0.657041999);
        checkReading(first.writes[1], 952, 0.644504777);
        checkReading(first.writes[2], 1850, 0.634201234);
        const OvDirection& second = (*found)[1];
        QVERIFY(std::abs(second.singular_value - 4.208625514) < 1e-5);
        checkReading(second.reads[0], 501, 0.375905252);
        checkReading(second.writes[0], 833, 1.103148814);
    }

    void refusals() {
        Model model = bareModel({});
        valueWeights(model, {0, 0})(1, 1) = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(!ovDirections(foldWeights(model), {0, 0}, 1, 1));
        Model blind = bareModel({});
        blind.weights.W_E.floats()(1, 1) = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(!ovDirections(foldWeights(blind), {0, 0}, 1, 1));
    }

    void withoutUnembedding() {
        const auto found = ovDirections(foldWeights(loadSample("notebook")), {0, 0}, 1, 1);
        QVERIFY(found && found->front().singular_value > 0.0);
        QVERIFY(found->front().reads.size() == 1 && found->front().writes.empty());
    }
};

const headscope::test::TestRegistration<TestOvDirections> registration;

} // namespace test_ov_directions

#include "test_ov_directions.moc"

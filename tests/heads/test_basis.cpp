// What a head does is a function of W_V W_O: the basis of z inside a head is nobody's choice. No
// label and no score may depend on it, and a head that writes nothing is called so.

#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/model/model.h"
#include "tests/support/change_basis.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace test_basis {

using namespace headscope;
using headscope::test::changeBasis;
using headscope::test::loadSample;

namespace {

HeadScores scoresOf(Model model) {
    return headscope::test::require(
        scoreHeads(std::make_shared<const Model>(std::move(model)), {.sequences = 4}));
}

bool isCalled(const HeadScores& scores, LayerHead head, const char* key) {
    const auto type = headTypeByKey(key);
    return type && std::ranges::count(labels(scores, head, {}), *type) == 1;
}

} // namespace

class TestBasis : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { expected_ = scoresOf(*model_); }

    void noScoreDependsOnTheBasisOfZ_data() {
        QTest::addColumn<double>("turn");
        QTest::addColumn<double>("scale");
        QTest::newRow("sixteenth") << 0.0 << 16.0;
        QTest::newRow("sixteen times") << 0.0 << 1.0 / 16.0;
        QTest::newRow("rotated") << 0.7 << 1.0;
    }
    void noScoreDependsOnTheBasisOfZ() {
        QFETCH(double, turn);
        QFETCH(double, scale);
        Model changed = *model_;
        for (const LayerHead head : {LayerHead{4, 1}, LayerHead{0, 7}, LayerHead{2, 1}})
            changeBasis(changed, head, turn, scale);
        const HeadScores& expected = expected_;
        const HeadScores found = scoresOf(std::move(changed));
        QVERIFY(found.types == expected.types);
        for (const LayerHead head : expected.heads)
            QVERIFY2(labels(found, head, {}) == labels(expected, head, {}),
                     qPrintable(QStringLiteral("%1.%2").arg(head.layer).arg(head.head)));
        for (std::size_t i = 0; i < expected.scores.size(); ++i) {
            const HeadScore& a = expected.scores[i];
            const HeadScore& b = found.scores[i];
            const std::string type(headType(a.type).key);
            // A share of eigenvalues moves by one that is rounding; a share of queries by one tie.
            QVERIFY2(isNear(a.score, b.score, 2e-3), type.c_str());
            QVERIFY2(isNear(a.variant, b.variant, 4e-2), type.c_str());
        }
    }

    void headsWithoutW_OWriteNothing() {
        Model changed = *model_;
        const std::vector<LayerHead> silent{{0, 0}, {2, 1}, {3, 5}, {4, 1}, {4, 2}, {5, 4}};
        for (const LayerHead head : silent) {
            const std::size_t width = changed.spec.valueDim();
            WeightTensor& weights = changed.weights.layers[head.layer].attn.W_O;
            weights = WeightTensor(weights.widened()); // of its own
            MutableMatrixView W_O = weights.floats().matrix();
            for (std::size_t i = 0; i < width; ++i)
                std::fill_n(W_O.row(head.head * width + i), W_O.cols, 0.0f);
        }
        const HeadScores scores = scoresOf(std::move(changed));
        for (const LayerHead head : scores.heads) {
            const bool is_silent = std::ranges::count(silent, head) == 1;
            QCOMPARE(isCalled(scores, head, "writes-nothing"), is_silent);
            QVERIFY(!is_silent || isCalled(scores, head, "dormant"));
        }
        QVERIFY(isCalled(scores, {2, 1}, "duplicate")); // where it looks is said beside it
    }

private:
    static bool isNear(double a, double b, double tolerance) {
        return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance;
    }

    const std::shared_ptr<const Model> model_ = loadSample("gpt2-mini-6l");
    HeadScores expected_;
};

const headscope::test::TestRegistration<TestBasis> registration;

} // namespace test_basis

#include "test_basis.moc"

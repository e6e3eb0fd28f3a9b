#include "core/tensor/nonlinear.h"
#include "tests/support/runner.h"
#include "tests/tensor/kernel_cases.h"

#include <QTest>

#include <array>
#include <cmath>
#include <vector>

namespace test_softmax {

using namespace headscope;
using namespace headscope::test;

namespace {

double lseInDouble(std::span<const float> scores) {
    const double largest = *std::ranges::max_element(scores);
    double sum = 0.0;
    for (const float score : scores)
        sum += std::exp(static_cast<double>(score) - largest);
    return largest + std::log(sum);
}

} // namespace

class TestSoftmax : public QObject {
    Q_OBJECT

private slots:
    void agreesWithTheDefinition_data() { addKernelRows(); }
    void agreesWithTheDefinition();
    void ignoresACommonOffset_data() { addKernelRows(); }
    void ignoresACommonOffset();
    void masksAndSurvivesExtremes_data() { addKernelRows(); }
    void masksAndSurvivesExtremes();
    void sinkTakesItsShare_data() { addKernelRows(); }
    void sinkTakesItsShare();
    void hidesNoNaN_data() { addKernelRows(); }
    void hidesNoNaN();
    void partsOfARow_data() { addKernelRows(); }
    void partsOfARow();
    void logSumExpOfAVocabulary_data() { addKernelRows(); }
    void logSumExpOfAVocabulary();
    void sameToTheBitAgain_data() { addKernelRows(); }
    void sameToTheBitAgain();
};

void TestSoftmax::agreesWithTheDefinition() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    for (const std::size_t n : rowLengths()) {
        std::vector<float> scores = randomRow(n, -20.0f, 20.0f);
        for (std::size_t i = 3; i < n; i += 5)
            scores[i] = -kInfinity;
        FencedRow pattern(scores);
        const RowLse lse = softmaxInPlace(pattern.row());
        QVERIFY(pattern.fenceStands());
        if (n == 0)
            continue;
        const double expected = lseInDouble(scores);
        QVERIFY(agree(static_cast<float>(lse.value()), expected, 1e-7, 1e-7));
        QVERIFY(std::abs(logSumExp(scores) - expected) < 3e-7);
        for (std::size_t i = 0; i < n; ++i) {
            QVERIFY(agree(pattern.row()[i], std::exp(scores[i] - expected), 3e-7, 2e-8));
            QVERIFY(std::isfinite(scores[i]) || pattern.row()[i] == 0.0f);
        }
    }
}

void TestSoftmax::ignoresACommonOffset() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    std::array low{1.0f, 2.0f, 4.0f};
    std::array high{1001.0f, 1002.0f, 1004.0f};
    softmaxInPlace(low);
    softmaxInPlace(high);
    QCOMPARE(low, high);
}

void TestSoftmax::masksAndSurvivesExtremes() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    std::array scores{-kInfinity, 3e38f, -3e38f, -kInfinity};
    softmaxInPlace(scores);
    QCOMPARE(scores, (std::array{0.0f, 1.0f, 0.0f, 0.0f}));
    std::array single{-7.0f};
    QCOMPARE(softmaxInPlace(single).value(), -7.0);
    QCOMPARE(single[0], 1.0f);
    std::array apart{0.0f, -0.0f, 1e-40f, -88.0f, -100.0f, -1e4f};
    softmaxInPlace(apart);
    for (std::size_t i = 0; i < apart.size(); ++i)
        QVERIFY(agree(apart[i], i < 3 ? 1.0 / 3.0 : 0.0, 1e-7, 1e-37));
}

/// As one more score whose share is left out.
void TestSoftmax::sinkTakesItsShare() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    for (const float sink : {-kInfinity, -90.0f, -1.5f, 3.0f, 500.0f}) {
        std::vector<float> with_sink = randomRow(37, -4.0f, 4.0f);
        std::vector<float> scores = with_sink;
        with_sink.push_back(sink);
        const double expected = lseInDouble(with_sink);
        const std::vector<float> before = scores;
        QVERIFY(
            agree(static_cast<float>(softmaxInPlace(scores, sink).value()), expected, 1e-7, 1e-7));
        for (std::size_t i = 0; i < scores.size(); ++i)
            QVERIFY(agree(scores[i], std::exp(before[i] - expected), 3e-7, 2e-8));
    }
    std::vector<float> bad{0.0f, kNaN};
    QVERIFY(std::isnan(softmaxInPlace(bad, 1.0f).value()));
}

/// The engine reports values that are not finite: none may vanish on the way.
void TestSoftmax::hidesNoNaN() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    for (const std::size_t n : {1u, 2u, 7u, 16u, 33u, 70u})
        for (const float bad : {kNaN, kInfinity})
            for (std::size_t at = 0; at < n; ++at) {
                std::vector<float> scores = randomRow(n, -5.0f, 5.0f);
                scores[at] = bad;
                QVERIFY(!std::isfinite(logSumExp(scores)));
                QVERIFY(!std::isfinite(softmaxInPlace(scores).value()));
                QVERIFY(std::ranges::all_of(scores, [](float p) { return std::isnan(p); }));
            }
    std::vector<float> masked(40, -kInfinity);
    QVERIFY(std::isnan(softmaxInPlace(masked).value()));
    QVERIFY(std::ranges::all_of(masked, [](float p) { return std::isnan(p); }));
}

void TestSoftmax::partsOfARow() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    for (const std::size_t n : rowLengths()) {
        const std::vector<float> scores = randomRow(n, -20.0f, 3.0f);
        FencedRow part(scores);
        expMinus({3.0f, 0.5f}, part.row());
        QVERIFY(part.fenceStands());
        for (std::size_t i = 0; i < n; ++i)
            QVERIFY(agree(part.row()[i], std::exp(scores[i] - 3.5), 1.5e-6, 0.0));
    }
    std::array edges{-kInfinity, kNaN, kInfinity, 3.5f};
    expMinus({3.0f, 0.5f}, edges);
    QCOMPARE(edges[0], 0.0f);
    QVERIFY(std::isnan(edges[1]));
    QCOMPARE(edges[2], kInfinity);
    QCOMPARE(edges[3], 1.0f);
}

void TestSoftmax::logSumExpOfAVocabulary() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    constexpr std::size_t vocabulary = 50257;
    // In the last the largest logit and all others together weigh the same, and all are rounded the
    // same way: the worst case.
    std::vector<float> worst(vocabulary, -10.8201f);
    worst[777] = 0.3f;
    for (const std::vector<float>& logits :
         {randomRow(vocabulary, -5.0f, 5.0f), randomRow(vocabulary, -300.0f, -280.0f),
          std::vector<float>(vocabulary, 1000.0f), worst})
        QVERIFY(std::abs(logSumExp(logits) - lseInDouble(logits)) < 1e-6);
}

void TestSoftmax::sameToTheBitAgain() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    const std::vector<float> scores = randomRow(1021, -10.0f, 10.0f);
    FencedRow first(scores);
    std::vector<float> second = scores;
    QVERIFY(softmaxInPlace(first.row()) == softmaxInPlace(second));
    QVERIFY(std::ranges::equal(first.row(), second));
}

const headscope::test::TestRegistration<TestSoftmax> registration;

} // namespace test_softmax

#include "test_softmax.moc"

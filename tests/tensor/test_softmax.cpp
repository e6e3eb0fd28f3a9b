#include "core/tensor/softmax.h"

#include <QTest>

#include <array>
#include <cmath>
#include <limits>

using namespace headscope;

class TestSoftmax : public QObject {
    Q_OBJECT

private slots:
    void agreesWithTheDefinition();
    void ignoresACommonOffset();
    void masksAndSurvivesExtremes();
    void logSumExpOfLargeScores();
};

void TestSoftmax::agreesWithTheDefinition() {
    std::array scores{0.3f, -1.2f, 2.5f, 0.0f};
    double sum = 0.0;
    for (const float score : scores)
        sum += std::exp(static_cast<double>(score));
    const auto before = scores;
    const float lse = softmaxInPlace(scores);
    QVERIFY(std::abs(lse - std::log(sum)) < 1e-6);
    for (std::size_t i = 0; i < scores.size(); ++i)
        QVERIFY(std::abs(scores[i] - std::exp(static_cast<double>(before[i])) / sum) < 1e-7);
}

void TestSoftmax::ignoresACommonOffset() {
    std::array low{1.0f, 2.0f, 4.0f};
    std::array high{1001.0f, 1002.0f, 1004.0f};
    softmaxInPlace(low);
    softmaxInPlace(high);
    QCOMPARE(low, high);
}

void TestSoftmax::masksAndSurvivesExtremes() {
    constexpr float masked = -std::numeric_limits<float>::infinity();
    std::array scores{masked, 3e38f, -3e38f, masked};
    softmaxInPlace(scores);
    QCOMPARE(scores, (std::array{0.0f, 1.0f, 0.0f, 0.0f}));
    std::array single{-7.0f};
    QCOMPARE(softmaxInPlace(single), -7.0f);
    QCOMPARE(single[0], 1.0f);
}

void TestSoftmax::logSumExpOfLargeScores() {
    const std::array scores{1000.0f, 1000.0f};
    QVERIFY(std::abs(logSumExp(scores) - (1000.0 + std::log(2.0))) < 1e-9);
}

QTEST_GUILESS_MAIN(TestSoftmax)
#include "test_softmax.moc"

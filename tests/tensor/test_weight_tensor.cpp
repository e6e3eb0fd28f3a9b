#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"
#include "core/tensor/weight_tensor.h"
#include "tests/support/runner.h"
#include "tests/tensor/random_matrix.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

namespace test_weight_tensor {

using namespace headscope;
using headscope::test::randomMatrix;

namespace {

constexpr std::array kNarrow{FloatFormat::Float16, FloatFormat::BFloat16};

/// Words of finite numbers between −8 and 8, subnormal ones among them.
WeightTensor randomWeights(Random& random, FloatFormat format, std::size_t rows, std::size_t cols) {
    WeightTensor weights(format, {rows, cols});
    for (std::uint16_t& word : weights.words().values()) {
        const float value = static_cast<float>(random.below(16001)) / 1000.0f - 8.0f;
        const float small = random.below(8) == 0 ? 1e-6f * value : value;
        word = narrow(format, small);
    }
    return weights;
}

/// Sums of `terms` numbers of up to 8, added up in orders that may differ: a sum grows with the
/// root of its terms, and so do the roundings of half a unit of it.
bool near(const Tensor& a, const Tensor& b, std::size_t terms) {
    const double rounding = 1e-5 + 2e-6 * static_cast<double>(terms);
    return std::ranges::equal(a.values(), b.values(), [rounding](float x, float y) {
        return std::abs(double{x} - double{y}) <= rounding;
    });
}

} // namespace

class TestWeightTensor : public QObject {
    Q_OBJECT

private slots:
    void holdsWhatItIsGiven() {
        const WeightTensor wide(Tensor({2, 3}, 0.5f));
        QVERIFY(wide.format() == FloatFormat::Float32 && !wide.isNarrow());
        QCOMPARE(wide(1, 2), 0.5f);

        WeightTensor narrow(FloatFormat::BFloat16, {2, 3, 4});
        QCOMPARE(narrow.matrix().rows, std::size_t{6});
        narrow.words()(1, 2, 3) = float32ToBFloat16(-1.5f);
        QCOMPARE(narrow(1, 2, 3), -1.5f);
        QCOMPARE(narrow.matrix()(5, 3), -1.5f);
        QCOMPARE(narrow.matrix().rowRange(4, 2).colRange(1, 3)(1, 2), -1.5f);
        QVERIFY(WeightTensor().empty());
    }

    void widensEachNumber() {
        Random random(1);
        for (const FloatFormat format : kNarrow) {
            const WeightTensor weights = randomWeights(random, format, 13, 37);
            const Tensor wide = weights.widened();
            for (std::size_t r = 0; r < 13; ++r)
                for (std::size_t c = 0; c < 37; ++c)
                    QCOMPARE(wide(r, c), weights(r, c));
            const WidenedMatrix part(weights.matrix().rowRange(3, 5).colRange(7, 11));
            QCOMPARE((*part)(4, 10), weights(7, 17));
        }
    }

    void meansOfColumns() {
        Random random(5);
        const std::size_t threads_before = threads();
        for (const WeightTensor& weights :
             {WeightTensor(randomMatrix(random, 600, 150)),
              randomWeights(random, FloatFormat::BFloat16, 600, 150)}) {
            const WeightMatrix part = weights.matrix().colRange(3, 140);
            setThreads(1);
            const std::vector<double> means = columnMeans(part);
            QCOMPARE(means.size(), std::size_t{140});
            for (std::size_t c = 0; c < 140; ++c) {
                double sum = 0.0;
                for (std::size_t r = 0; r < 600; ++r)
                    sum += static_cast<double>(part(r, c));
                QVERIFY(std::abs(means[c] - sum / 600.0) < 1e-12);
            }
            setThreads(3);
            QVERIFY(columnMeans(part) == means);
        }
        setThreads(threads_before);
    }

    void aWideMatrixIsNotCopied() {
        const WeightTensor wide(Tensor({4, 5}, 2.0f));
        QVERIFY(WidenedMatrix(wide.matrix())->data == wide.floats().data());
        QVERIFY(widened(wide.matrix()).data() != wide.floats().data());
    }

    void changingNumbersMakesThemWide() {
        Random random(2);
        WeightTensor weights = randomWeights(random, FloatFormat::Float16, 3, 4);
        const Tensor before = weights.widened();
        weights.floats()(1, 1) = 0.1f; // no float16 is that
        QVERIFY(!weights.isNarrow());
        QCOMPARE(weights(1, 1), 0.1f);
        QCOMPARE(weights(2, 3), before(2, 3));
    }

    void rearrangedNumbersStayNarrow() {
        Random random(3);
        const WeightTensor weights = randomWeights(random, FloatFormat::BFloat16, 4, 2);
        const WeightTensor last_row = weights.rearranged([]<class T>(const BasicTensor<T>& all) {
            BasicTensor<T> row({1, 2});
            std::copy_n(all.matrix().row(3), 2, row.data());
            return row;
        });
        QVERIFY(last_row.format() == FloatFormat::BFloat16);
        QCOMPARE(last_row(0, 1), weights(3, 1));
    }

    void aBorrowerLeavesTheOwnersNumbers() {
        Random random(4);
        const auto owner = std::make_shared<const WeightTensor>(
            randomWeights(random, FloatFormat::BFloat16, 3, 3));
        WeightTensor borrower = WeightTensor::borrowed(*owner, owner);
        QCOMPARE(borrower(2, 2), (*owner)(2, 2));
        const float before = (*owner)(0, 0);
        borrower.words()(0, 0) = float32ToBFloat16(before + 1.0f);
        QCOMPARE((*owner)(0, 0), before);
    }

    void productsAreThoseOfTheWideMatrix_data() {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("k");
        QTest::addColumn<int>("n");
        QTest::newRow("one row") << 1 << 768 << 2304;
        QTest::newRow("a few rows") << 16 << 768 << 768;
        QTest::newRow("odd") << 7 << 131 << 517;
        QTest::newRow("more rows than columns") << 300 << 64 << 48;
        QTest::newRow("many to sum") << 3 << 20000 << 50;
    }

    void productsAreThoseOfTheWideMatrix() {
        QFETCH(int, m);
        QFETCH(int, k);
        QFETCH(int, n);
        const auto rows = static_cast<std::size_t>(m);
        const auto inner = static_cast<std::size_t>(k);
        const auto cols = static_cast<std::size_t>(n);
        Random random(5);
        const std::size_t before = threads();
        for (const FloatFormat format : kNarrow)
            for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {
                setThreads(count);
                const Tensor x = randomMatrix(random, rows, inner);
                const WeightTensor W = randomWeights(random, format, inner, cols);
                const WeightTensor W_U = randomWeights(random, format, cols, inner);
                const Tensor wide = W.widened();
                const Tensor wide_U = W_U.widened();
                Tensor found({rows, cols}, 1.0f);
                Tensor expected({rows, cols}, 1.0f);
                multiply(x.matrix(), W.matrix(), found.matrix());
                multiply(x.matrix(), wide.matrix(), expected.matrix());
                QVERIFY(near(found, expected, inner));
                multiplyTransposed(0.5f, x.matrix(), W_U.matrix(), found.matrix());
                multiplyTransposed(0.5f, x.matrix(), wide_U.matrix(), expected.matrix());
                QVERIFY(near(found, expected, inner));
                multiplyTransposedAdd(x.matrix(), W_U.matrix(), found.matrix());
                multiplyTransposedAdd(x.matrix(), wide_U.matrix(), expected.matrix());
                QVERIFY(near(found, expected, inner));

                const Tensor y = randomMatrix(random, inner, rows);
                Tensor from_left({cols, rows});
                Tensor expected_left({cols, rows});
                multiply(W_U.matrix(), y.matrix(), from_left.matrix());
                multiply(wide_U.matrix(), y.matrix(), expected_left.matrix());
                QVERIFY(near(from_left, expected_left, inner));
            }
        setThreads(before);
    }

    void productsOfAPartOfAMatrix() {
        Random random(6);
        const WeightTensor W = randomWeights(random, FloatFormat::Float16, 40, 90);
        const Tensor x = randomMatrix(random, 5, 20);
        const WeightMatrix part = W.matrix().rowRange(10, 20).colRange(30, 25);
        Tensor found({5, 25});
        Tensor expected({5, 25});
        multiply(x.matrix(), part, found.matrix());
        multiply(x.matrix(), *WidenedMatrix(part), expected.matrix());
        QVERIFY(near(found, expected, 20));
    }
};

const headscope::test::TestRegistration<TestWeightTensor> registration;

} // namespace test_weight_tensor

#include "test_weight_tensor.moc"

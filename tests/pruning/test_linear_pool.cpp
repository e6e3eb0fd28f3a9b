// Vectors of several heads in one, against a singular value decomposition.

#include "core/base/random.h"
#include "core/pruning/grouping/linear_pool.h"
#include "core/tensor/linear_algebra.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

namespace test_linear_pool {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kHeads = 3;
constexpr std::size_t kWidth = 4;
constexpr std::size_t kRows = 40;

DoubleMatrix randomMatrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    Random random(seed);
    DoubleMatrix matrix(rows, cols);
    for (double& value : matrix.values)
        value = static_cast<double>(random.below(2001)) / 1000.0 - 1.0;
    return matrix;
}

/// Vectors of all heads side by side, [kRows, kHeads·kWidth]
DoubleMatrix someVectors() {
    return randomMatrix(kRows, kHeads * kWidth, 1);
}

DoubleMatrix momentsOf(const DoubleMatrix& vectors) {
    DoubleMatrix moments = transposedProduct(vectors, vectors);
    for (double& value : moments.values)
        value /= static_cast<double>(vectors.rows);
    return moments;
}

/// [head] of factors F [kWidth, kWidth], and of F Fᵀ.
std::vector<DoubleMatrix> factors() {
    return {randomMatrix(kWidth, kWidth, 2), randomMatrix(kWidth, kWidth, 3),
            randomMatrix(kWidth, kWidth, 4)};
}
std::vector<DoubleMatrix> weights() {
    std::vector<DoubleMatrix> all;
    for (const DoubleMatrix& factor : factors())
        all.push_back(productTransposed(factor, factor));
    return all;
}

DoubleMatrix headOf(const DoubleMatrix& vectors, std::size_t head) {
    DoubleMatrix part(vectors.rows, kWidth);
    for (std::size_t r = 0; r < part.rows; ++r)
        for (std::size_t c = 0; c < kWidth; ++c)
            part(r, c) = vectors(r, head * kWidth + c);
    return part;
}

/// Mean over the rows of Σ over heads of e W eᵀ, what the pool loses.
double lossOf(const PoolMaps& maps, const DoubleMatrix& vectors,
              const std::vector<DoubleMatrix>& weights) {
    DoubleMatrix pooled(vectors.rows, kWidth);
    for (std::size_t head = 0; head < kHeads; ++head) {
        const DoubleMatrix part = product(headOf(vectors, head), maps.in[head]);
        for (std::size_t i = 0; i < part.values.size(); ++i)
            pooled.values[i] += part.values[i];
    }
    double loss = 0.0;
    for (std::size_t head = 0; head < kHeads; ++head) {
        DoubleMatrix e = headOf(vectors, head);
        const DoubleMatrix read = product(pooled, maps.out[head]);
        for (std::size_t i = 0; i < e.values.size(); ++i)
            e.values[i] -= read.values[i];
        loss += innerProduct(product(e, weights[head]), e);
    }
    return loss / static_cast<double>(vectors.rows);
}

/// Σ over all but the first `kept` squared singular values.
double tail(const DoubleMatrix& matrix, std::size_t kept) {
    Tensor narrow({matrix.rows, matrix.cols});
    for (std::size_t i = 0; i < matrix.values.size(); ++i)
        narrow.data()[i] = static_cast<float>(matrix.values[i]);
    const auto svd = require(thinSvd(std::as_const(narrow).matrix()));
    double sum = 0.0;
    for (std::size_t i = kept; i < svd.S.size(); ++i)
        sum += svd.S[i] * svd.S[i];
    return sum;
}

} // namespace

class TestLinearPool : public QObject {
    Q_OBJECT

private slots:
    /// Eckart & Young: the best rank-d approximation of the vectors, each times its factor, leaves
    /// the squares of the further singular values.
    void losesWhatTheFurtherSingularValuesHold() {
        const DoubleMatrix vectors = someVectors();
        DoubleMatrix weighted(kRows, kHeads * kWidth);
        for (std::size_t head = 0; head < kHeads; ++head) {
            const DoubleMatrix part = product(headOf(vectors, head), factors()[head]);
            for (std::size_t r = 0; r < kRows; ++r)
                for (std::size_t c = 0; c < kWidth; ++c)
                    weighted(r, head * kWidth + c) = part(r, c);
        }
        const double expected = tail(weighted, kWidth) / static_cast<double>(kRows);
        const PoolMaps maps = require(leastSquaresPool(momentsOf(vectors), weights()));
        const double found = lossOf(maps, vectors, weights());
        QVERIFY2(std::abs(found / expected - 1.0) < 1e-4,
                 qPrintable(QStringLiteral("%1 for %2").arg(found).arg(expected)));
        QVERIFY(found < 0.9 * lossOf(meanPool(kHeads, kWidth), vectors, weights()));
    }

    /// The same for complex numbers, whose vectors are those of the pairs and of the pairs turned
    /// by 90 degrees.
    void planesAreTurnedAndScaledOnly() {
        const std::vector<RotaryPlane> planes{{0, 2}, {1, 3}};
        const DoubleMatrix vectors = someVectors();
        const PoolMaps maps = require(leastSquaresPool(momentsOf(vectors), weights(), planes));
        std::vector<DoubleMatrix> seen(kHeads, DoubleMatrix(kWidth, kWidth));
        double expected = 0.0;
        for (const auto& [x, y] : planes) {
            DoubleMatrix pairs(2 * kRows, 2 * kHeads);
            for (std::size_t head = 0; head < kHeads; ++head) {
                const double weight = 0.5 * (weights()[head](x, x) + weights()[head](y, y));
                seen[head](x, x) = seen[head](y, y) = weight;
                for (std::size_t r = 0; r < kRows; ++r) {
                    const double re = std::sqrt(weight) * vectors(r, head * kWidth + x);
                    const double im = std::sqrt(weight) * vectors(r, head * kWidth + y);
                    pairs(r, 2 * head) = pairs(kRows + r, 2 * head + 1) = re;
                    pairs(r, 2 * head + 1) = im;
                    pairs(kRows + r, 2 * head) = -im;
                }
            }
            expected += tail(pairs, 2) / 2.0 / static_cast<double>(kRows);
        }
        const double found = lossOf(maps, vectors, seen);
        QVERIFY2(std::abs(found / expected - 1.0) < 1e-4,
                 qPrintable(QStringLiteral("%1 for %2").arg(found).arg(expected)));
        for (const auto* side : {&maps.in, &maps.out})
            for (const DoubleMatrix& map : *side) {
                QVERIFY(std::abs(map(0, 0) - map(2, 2)) < 1e-12);
                QVERIFY(std::abs(map(0, 2) + map(2, 0)) < 1e-12);
                QCOMPARE(map(0, 1), 0.0);
                QCOMPARE(map(2, 3), 0.0);
            }
    }

    void vectorsThatAreOneAreReadBackWhole() {
        DoubleMatrix vectors = someVectors();
        for (std::size_t r = 0; r < kRows; ++r)
            for (std::size_t c = 0; c < kWidth; ++c)
                vectors(r, kWidth + c) = vectors(r, 2 * kWidth + c) = vectors(r, c);
        for (const PoolMaps& maps :
             {meanPool(kHeads, kWidth), require(leastSquaresPool(momentsOf(vectors), weights()))})
            QVERIFY(lossOf(maps, vectors, weights()) < 1e-18);
    }

    void whatNobodyReadsAndWhatIsConstantNeedsNoNumbers() {
        const std::vector<DoubleMatrix> unread(kHeads, DoubleMatrix(kWidth, kWidth));
        const DoubleMatrix nothing(kHeads * kWidth, kHeads * kWidth);
        for (const PoolMaps& maps : {require(leastSquaresPool(momentsOf(someVectors()), unread)),
                                     require(leastSquaresPool(nothing, weights()))})
            for (const auto* side : {&maps.in, &maps.out})
                for (const DoubleMatrix& map : *side)
                    for (const double value : map.values)
                        QVERIFY(std::isfinite(value));
    }
};

const headscope::test::TestRegistration<TestLinearPool> registration;

} // namespace test_linear_pool

#include "test_linear_pool.moc"

#include "core/tensor/gemm.h"
#include "tests/support/runner.h"
#include "tests/tensor/random_matrix.h"

#include <QTest>

#include <cmath>

namespace test_gemm {

using namespace headscope;
using headscope::test::randomMatrix;

namespace {

Tensor transposeOf(const Tensor& x) {
    Tensor transposed({x.dim(1), x.dim(0)});
    for (std::size_t i = 0; i < x.dim(0); ++i)
        for (std::size_t j = 0; j < x.dim(1); ++j)
            transposed(j, i) = x(i, j);
    return transposed;
}

/// Σ_k a(i, k) · b(k, j) in double, by plain loops.
double product(MatrixView a, MatrixView b, bool transpose_b, std::size_t i, std::size_t j) {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.cols; ++k)
        sum += static_cast<double>(a(i, k)) * (transpose_b ? b(j, k) : b(k, j));
    return sum;
}

bool near(float found, double expected, std::size_t terms) {
    return std::abs(found - expected) <= 1e-6 * std::sqrt(static_cast<double>(terms)) + 1e-6;
}

} // namespace

class TestGemm : public QObject {
    Q_OBJECT

private slots:
    void products_data();
    void products();
    void stridedViews();
    void emptyProductsDoNothing();
    void dotProduct();
    void bias();
};

void TestGemm::products_data() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("k");
    QTest::addColumn<int>("n");
    QTest::newRow("1x1x1") << 1 << 1 << 1;
    QTest::newRow("row") << 1 << 17 << 33;
    QTest::newRow("column") << 33 << 17 << 1;
    QTest::newRow("odd") << 7 << 13 << 5;
    QTest::newRow("larger") << 65 << 129 << 97;
}

void TestGemm::products() {
    QFETCH(int, m);
    QFETCH(int, k);
    QFETCH(int, n);
    const auto rows = static_cast<std::size_t>(m);
    const auto inner = static_cast<std::size_t>(k);
    const auto cols = static_cast<std::size_t>(n);
    Random random(1);
    const Tensor a = randomMatrix(random, rows, inner);
    const Tensor b = randomMatrix(random, inner, cols);
    const Tensor bt = randomMatrix(random, cols, inner);
    const Tensor at = randomMatrix(random, inner, rows);
    const Tensor start = randomMatrix(random, rows, cols);
    Tensor plain({rows, cols}, 9.0f);
    Tensor added = start;
    Tensor transposed({rows, cols}, 9.0f);
    Tensor b_transposed_added = start;
    Tensor a_transposed_added = start;
    multiply(a.matrix(), b.matrix(), plain.matrix());
    multiplyAdd(a.matrix(), b.matrix(), added.matrix());
    multiplyTransposed(0.5f, a.matrix(), bt.matrix(), transposed.matrix());
    multiplyTransposedAdd(a.matrix(), bt.matrix(), b_transposed_added.matrix());
    transposedMultiplyAdd(at.matrix(), b.matrix(), a_transposed_added.matrix());
    const Tensor untransposed = transposeOf(at);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < cols; ++j) {
            const double expected = product(a.matrix(), b.matrix(), false, i, j);
            QVERIFY(near(plain(i, j), expected, inner));
            QVERIFY(near(added(i, j), expected + start(i, j), inner));
            const double by_transposed = product(a.matrix(), bt.matrix(), true, i, j);
            QVERIFY(near(transposed(i, j), 0.5 * by_transposed, inner));
            QVERIFY(near(b_transposed_added(i, j), by_transposed + start(i, j), inner));
            const double of_transposed = product(untransposed.matrix(), b.matrix(), false, i, j);
            QVERIFY(near(a_transposed_added(i, j), of_transposed + start(i, j), inner));
        }
    }
}

void TestGemm::stridedViews() {
    Random random(2);
    const Tensor wide = randomMatrix(random, 6, 20);
    Tensor out({4, 10}, 7.0f);
    const MatrixView a = wide.matrix().colRange(3, 5).rowRange(1, 4);
    const MatrixView b = wide.matrix().colRange(11, 5).rowRange(0, 3);
    multiplyTransposed(1.0f, a, b, out.matrix().colRange(2, 3));
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 10; ++j) {
            const bool inside = j >= 2 && j < 5;
            const double expected = inside ? product(a, b, true, i, j - 2) : 7.0;
            QVERIFY(near(out(i, j), expected, 5));
        }
    }
}

void TestGemm::emptyProductsDoNothing() {
    const Tensor a({0, 3});
    const Tensor b({3, 4});
    Tensor c({0, 4});
    multiply(a.matrix(), b.matrix(), c.matrix());
    QVERIFY(c.empty());
}

void TestGemm::dotProduct() {
    const float a[] = {1.0f, -2.0f, 3.0f};
    const float b[] = {0.5f, 4.0f, 2.0f};
    QCOMPARE(dot(a, b), -1.5f);
}

void TestGemm::bias() {
    Tensor x({2, 2}, 1.0f);
    const float bias[] = {10.0f, 20.0f};
    addBias(x.matrix(), bias);
    addBias(x.matrix(), {});
    QCOMPARE(x(0, 0), 11.0f);
    QCOMPARE(x(1, 1), 21.0f);
    addInto(x.matrix(), x.matrix());
    QCOMPARE(x(1, 0), 22.0f);
}

const headscope::test::TestRegistration<TestGemm> registration;

} // namespace test_gemm

#include "test_gemm.moc"

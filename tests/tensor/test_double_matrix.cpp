#include "core/base/random.h"
#include "core/tensor/linear_algebra.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <cmath>

namespace test_double_matrix {

using namespace headscope;

namespace {

Tensor randomMatrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    Random random(seed);
    Tensor matrix({rows, cols});
    for (float& value : matrix.values())
        value = static_cast<float>(random.below(2001)) / 1000.0f - 1.0f;
    return matrix;
}

DoubleMatrix wide(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    const Tensor matrix = randomMatrix(rows, cols, seed);
    return DoubleMatrix(matrix.matrix());
}

/// Σ_i a(r, i) b(i, c) with functions for the factors.
template <class A, class B>
double furthest(const DoubleMatrix& found, std::size_t inner, A a, B b) {
    double most = 0.0;
    for (std::size_t r = 0; r < found.rows; ++r)
        for (std::size_t c = 0; c < found.cols; ++c) {
            double sum = 0.0;
            for (std::size_t i = 0; i < inner; ++i)
                sum += a(r, i) * b(i, c);
            most = std::max(most, std::abs(sum - found(r, c)));
        }
    return most;
}

constexpr double kRounding = 1e-13;

} // namespace

class TestDoubleMatrix : public QObject {
    Q_OBJECT

private slots:
    void products();
    void gramAddsUp();
    void parts();
    void solvesWhatIsPositive();
    void refusesWhatIsNot();
    void emptyOnesAreFine();
};

void TestDoubleMatrix::products() {
    const DoubleMatrix a = wide(5, 7, 1);
    const DoubleMatrix b = wide(7, 4, 2);
    const auto plain = [&](std::size_t i, std::size_t c) { return b(i, c); };
    const DoubleMatrix ab = product(a, b);
    QCOMPARE(ab.rows, 5u);
    QCOMPARE(ab.cols, 4u);
    QVERIFY(furthest(ab, 7, a, plain) < kRounding);
    const DoubleMatrix turned = wide(7, 5, 3);
    QVERIFY(furthest(
                transposedProduct(turned, b), 7,
                [&](std::size_t r, std::size_t i) { return turned(i, r); }, plain) < kRounding);
    const DoubleMatrix other = wide(4, 7, 4);
    QVERIFY(furthest(productTransposed(a, other), 7, a,
                     [&](std::size_t i, std::size_t c) { return other(c, i); }) < kRounding);
}

void TestDoubleMatrix::gramAddsUp() {
    const Tensor x = randomMatrix(9, 4, 5);
    DoubleMatrix gram(4, 4);
    const MatrixView all = std::as_const(x).matrix();
    addGram(all.rowRange(0, 3), gram);
    addGram(all.rowRange(3, 6), gram);
    QVERIFY(furthest(
                gram, 9, [&](std::size_t r, std::size_t i) { return double{x(i, r)}; },
                [&](std::size_t i, std::size_t c) { return double{x(i, c)}; }) < kRounding);
}

void TestDoubleMatrix::parts() {
    const DoubleMatrix a = wide(4, 4, 6);
    const std::vector<std::size_t> rows{2, 0};
    const std::vector<std::size_t> cols{3};
    const DoubleMatrix part = submatrix(a, rows, cols);
    QCOMPARE(part.values, (std::vector<double>{a(2, 3), a(0, 3)}));
    QCOMPARE(trace(a), a(0, 0) + a(1, 1) + a(2, 2) + a(3, 3));
    const DoubleMatrix b = wide(4, 4, 7);
    QVERIFY(std::abs(innerProduct(a, b) - trace(transposedProduct(a, b))) < kRounding);
}

void TestDoubleMatrix::solvesWhatIsPositive() {
    const DoubleMatrix root = wide(6, 6, 8);
    DoubleMatrix a = transposedProduct(root, root);
    for (std::size_t i = 0; i < 6; ++i)
        a(i, i) += 1.0;
    const DoubleMatrix b = wide(6, 3, 9);
    const auto x = solvePositive(a, b);
    QVERIFY(x);
    QVERIFY(furthest(*x, 0, a, b) > 0.01); // not zero itself
    const DoubleMatrix again = product(a, *x);
    for (std::size_t i = 0; i < again.values.size(); ++i)
        QVERIFY(std::abs(again.values[i] - b.values[i]) < 1e-12);
}

void TestDoubleMatrix::refusesWhatIsNot() {
    DoubleMatrix a(2, 2);
    a(0, 0) = 1.0;
    a(1, 1) = -1.0;
    const auto x = solvePositive(a, DoubleMatrix(2, 1));
    QVERIFY(!x);
    QVERIFY(x.error().message.starts_with("A matrix is not positive definite"));
}

void TestDoubleMatrix::emptyOnesAreFine() {
    QCOMPARE(product(DoubleMatrix(2, 0), DoubleMatrix(0, 3)).values, std::vector<double>(6));
    QVERIFY(solvePositive(DoubleMatrix(0, 0), DoubleMatrix(0, 2)));
    QCOMPARE(trace(DoubleMatrix(0, 0)), 0.0);
}

const headscope::test::TestRegistration<TestDoubleMatrix> registration;

} // namespace test_double_matrix

#include "test_double_matrix.moc"

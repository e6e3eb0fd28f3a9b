#include "core/tensor/linear_algebra.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace test_lapack {

using namespace headscope;

namespace {

Tensor matrixOf(Shape shape, const std::vector<float>& values) {
    Tensor matrix(std::move(shape));
    std::ranges::copy(values, matrix.data());
    return matrix;
}

/// Largest difference between A and U · diag(S) · Vt.
double reconstructionError(const Tensor& a, const ThinSvd& svd) {
    double worst = 0.0;
    for (std::size_t r = 0; r < a.dim(0); ++r) {
        for (std::size_t c = 0; c < a.dim(1); ++c) {
            double sum = 0.0;
            for (std::size_t k = 0; k < svd.S.size(); ++k)
                sum +=
                    static_cast<double>(svd.U(r, k)) * svd.S[k] * static_cast<double>(svd.Vt(k, c));
            worst = std::max(worst, std::abs(sum - static_cast<double>(a(r, c))));
        }
    }
    return worst;
}

} // namespace

class TestLapack : public QObject {
    Q_OBJECT

private slots:
    void eigenvaluesOfATriangle() {
        auto lambda = eigenvalues(matrixOf({3, 3}, {2, 5, 7, 0, -1, 4, 0, 0, 0.5f}).matrix());
        QVERIFY(lambda);
        std::ranges::sort(*lambda, {}, [](std::complex<double> x) { return x.real(); });
        const std::vector<double> expected{-1.0, 0.5, 2.0};
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(std::abs((*lambda)[i] - expected[i]) < 1e-12);
    }

    /// A turn by 60 degrees, stretched by 2: 2 · exp(±iπ/3).
    void complexEigenvaluesComeInPairs() {
        const auto sine = static_cast<float>(std::sqrt(3.0));
        const Tensor turn = matrixOf({2, 2}, {1, -sine, sine, 1});
        const auto lambda = eigenvalues(turn.matrix());
        QVERIFY(lambda);
        QVERIFY(std::abs((*lambda)[0].real() - 1.0) < 1e-6);
        QVERIFY(std::abs(std::abs((*lambda)[0].imag()) - std::sqrt(3.0)) < 1e-6);
        QVERIFY((*lambda)[0] == std::conj((*lambda)[1]));
    }

    void rowsMayLieApart() {
        const Tensor wide = matrixOf({2, 3}, {4, 0, 9, 1, 3, 9});
        const auto lambda = eigenvalues(wide.matrix().colRange(0, 2));
        QVERIFY(lambda);
        QVERIFY(std::abs((*lambda)[0] + (*lambda)[1] - 7.0) < 1e-12);
        QVERIFY(std::abs((*lambda)[0] * (*lambda)[1] - 12.0) < 1e-12);
    }

    void svd_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::newRow("tall") << 7 << 3;
        QTest::newRow("wide") << 2 << 5;
        QTest::newRow("square") << 4 << 4;
        QTest::newRow("one number") << 1 << 1;
    }
    void svd() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        Tensor a({static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)});
        for (std::size_t i = 0; i < a.size(); ++i)
            a.data()[i] = static_cast<float>((i * i + 3 * i) % 11) - 5.0f;
        const auto svd = thinSvd(a.matrix());
        QVERIFY(svd);
        QCOMPARE(svd->S.size(), std::min(a.dim(0), a.dim(1)));
        QVERIFY(std::ranges::is_sorted(svd->S, std::greater<>()));
        QVERIFY(reconstructionError(a, *svd) < 1e-5);
    }

    void singularValuesOfADiagonal() {
        const auto svd = thinSvd(matrixOf({2, 3}, {0, 3, 0, -4, 0, 0}).matrix());
        QVERIFY(svd);
        QVERIFY(std::abs(svd->S[0] - 4.0) < 1e-12);
        QVERIFY(std::abs(svd->S[1] - 3.0) < 1e-12);
    }

    void notFiniteIsRefused_data() {
        QTest::addColumn<float>("value");
        QTest::newRow("NaN") << std::numeric_limits<float>::quiet_NaN();
        QTest::newRow("infinite") << std::numeric_limits<float>::infinity();
    }
    void notFiniteIsRefused() {
        QFETCH(float, value);
        const Tensor matrix = matrixOf({2, 2}, {1, 2, value, 4});
        QVERIFY(!eigenvalues(matrix.matrix()));
        QVERIFY(!thinSvd(matrix.matrix()));
    }

    void nothingHasNoValues() {
        QVERIFY(eigenvalues(Tensor({0, 0}).matrix())->empty());
        QVERIFY(thinSvd(Tensor({3, 0}).matrix())->S.empty());
    }
};

const headscope::test::TestRegistration<TestLapack> registration;

} // namespace test_lapack

#include "test_lapack.moc"

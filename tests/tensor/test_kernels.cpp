#include "core/tensor/gemm.h"
#include "core/tensor/kernels.h"
#include "tests/support/runner.h"
#include "tests/tensor/kernel_cases.h"

#include <QTest>

namespace test_kernels {

using namespace headscope;
using namespace headscope::test;

class TestKernels : public QObject {
    Q_OBJECT

private slots:
    void widestIsInUse();
    void elementwise_data() { addKernelRows(); }
    void elementwise();
};

void TestKernels::widestIsInUse() {
    QCOMPARE(kernelDescription(), std::string(kernelNames().front()) + " kernels");
    QCOMPARE(kernelNames().back(), std::string_view("baseline"));
    useKernels("baseline");
    QCOMPARE(kernelDescription(), std::string("baseline kernels"));
}

void TestKernels::elementwise() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    for (const std::size_t n : rowLengths()) {
        const std::vector<float> x = randomRow(n, -10.0f, 10.0f);
        const std::vector<float> y = randomRow(n, 1.0f, 2.0f);
        FencedRow sum(x);
        addInto({sum.row().data(), 1, n, n}, {y.data(), 1, n, n});
        FencedRow shifted(x);
        addBias({shifted.row().data(), 1, n, n}, y);
        FencedRow product(x);
        multiplyInto({product.row().data(), 1, n, n}, {y.data(), 1, n, n});
        QVERIFY(sum.fenceStands() && shifted.fenceStands() && product.fenceStands());
        for (std::size_t i = 0; i < n; ++i) {
            QCOMPARE(sum.row()[i], x[i] + y[i]);
            QCOMPARE(shifted.row()[i], x[i] + y[i]);
            QCOMPARE(product.row()[i], x[i] * y[i]);
        }
    }
}

const headscope::test::TestRegistration<TestKernels> registration;

} // namespace test_kernels

#include "test_kernels.moc"

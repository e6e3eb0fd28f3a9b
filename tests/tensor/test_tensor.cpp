#include "core/tensor/tensor.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cstdint>
#include <memory>
#include <utility>

namespace test_tensor {

using namespace headscope;

class TestTensor : public QObject {
    Q_OBJECT

private slots:
    void indexesRowMajor();
    void startsOnACacheLine();
    void matrixFoldsLeadingAxes();
    void copiesStridedViews();
    void borrowsNumbersUntilTheyAreWritten();
    void emptyTensors();
};

void TestTensor::indexesRowMajor() {
    Tensor t({2, 3, 4});
    for (std::size_t i = 0; i < t.size(); ++i)
        t.values()[i] = static_cast<float>(i);
    QCOMPARE(t(1, 2, 3), 23.0f);
    QCOMPARE(t(0, 1, 0), 4.0f);
    QCOMPARE(t.view()(1, 0, 2), 14.0f);
}

void TestTensor::startsOnACacheLine() {
    for (std::size_t size = 1; size < 100; size += 7)
        QCOMPARE(reinterpret_cast<std::uintptr_t>(Tensor({size}).data()) % 64, 0u);
}

void TestTensor::matrixFoldsLeadingAxes() {
    const Tensor t({2, 3, 4});
    QCOMPARE(t.matrix().rows, 6u);
    QCOMPARE(t.matrix().cols, 4u);
    QCOMPARE(Tensor({5}).matrix().rows, 1u);
}

void TestTensor::copiesStridedViews() {
    Tensor t({3, 6});
    for (std::size_t i = 0; i < t.size(); ++i)
        t.values()[i] = static_cast<float>(i);
    // Columns 2 to 5 of each row as [3, 2, 2].
    const TensorView part{t.data() + 2, {3, 2, 2}, {6, 2, 1}};
    const Tensor copy = copyOf(part);
    QCOMPARE(copy.shape(), (Shape{3, 2, 2}));
    QCOMPARE(copy(0, 0, 0), 2.0f);
    QCOMPARE(copy(1, 1, 0), 10.0f);
    QCOMPARE(copy(2, 1, 1), 17.0f);
}

void TestTensor::borrowsNumbersUntilTheyAreWritten() {
    auto lender = std::make_shared<Tensor>(Shape{2, 2}, 3.0f);
    Tensor borrower = Tensor::borrowed(*lender, lender);
    const Tensor copy = borrower;
    QVERIFY(std::as_const(borrower).data() == std::as_const(*lender).data());
    QVERIFY(copy.data() == std::as_const(*lender).data());
    QCOMPARE(copy.shape(), lender->shape());

    borrower(1, 1) = 5.0f;
    QCOMPARE((*lender)(1, 1), 3.0f);
    QCOMPARE(std::as_const(borrower)(1, 1), 5.0f);
    QCOMPARE(std::as_const(borrower)(0, 0), 3.0f);

    lender.reset();
    QCOMPARE(copy(1, 0), 3.0f); // its owner lives as long as it is borrowed from
}

void TestTensor::emptyTensors() {
    QVERIFY(Tensor().empty());
    QVERIFY(Tensor({0, 4}).empty());
    QCOMPARE(Tensor({0, 4}).matrix().rows, 0u);
    QCOMPARE(elementCount({}), 1u);
}

const headscope::test::TestRegistration<TestTensor> registration;

} // namespace test_tensor

#include "test_tensor.moc"

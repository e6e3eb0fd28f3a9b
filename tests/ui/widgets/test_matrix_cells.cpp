#include "tests/support/runner.h"
#include "ui/widgets/cell_source.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace test_matrix_cells {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// [4, 5]: 10 · row + column, every other one below 0.
Tensor numbered() {
    Tensor values({4, 5});
    for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t column = 0; column < 5; ++column)
            values(row, column) =
                static_cast<float>(10 * row + column) * (column % 2 == 0 ? 1.0f : -1.0f);
    return values;
}

} // namespace

class TestMatrixCells : public QObject {
    Q_OBJECT

private slots:
    void cellsAreTheirNumbers() {
        const MatrixCells cells(numbered());
        QCOMPARE(cells.rows(), std::size_t{4});
        QCOMPARE(cells.columns(), std::size_t{5});
        const CellTile tile = cells.tile({{1, 3}, {2, 5}, 9, 9});
        QVERIFY(tile.isExact());
        QCOMPARE(tile.value(2, 3), std::optional(-23.0f));
    }

    void theFurthestFromZeroStandsForItsNeighbours() {
        const MatrixCells cells(numbered());
        const Tensor pooled = cells.pooled({{0, 4}, {0, 5}, 2, 2});
        QCOMPARE(pooled.shape(), (Shape{2, 2}));
        QCOMPARE(pooled(0u, 0u), -11.0f); // columns 0 and 1 of rows 0 and 1
        QCOMPARE(pooled(1u, 1u), 34.0f);
    }

    void whatIsNotDefinedGivesWay() {
        Tensor values({2, 2}, kNan);
        values(0, 1) = -0.5f;
        const MatrixCells cells(std::move(values));
        QCOMPARE(cells.pooled({{0, 1}, {0, 2}, 1, 1})(0u, 0u), -0.5f);
        QVERIFY(std::isnan(cells.pooled({{1, 2}, {0, 2}, 1, 1})(0u, 0u)));
    }
};

const headscope::test::TestRegistration<TestMatrixCells> registration;

} // namespace test_matrix_cells

#include "test_matrix_cells.moc"

#include "tests/support/models.h"
#include "ui/models/prompt_run.h"
#include "ui/views/pattern_content.h"

#include <QTest>

#include <cmath>

using namespace headscope;
using namespace headscope::ui;

namespace {

std::shared_ptr<const RunResult> resultOf(const std::shared_ptr<const Model>& model,
                                          const std::string& text) {
    return headscope::test::require(runPrompt({model, text, BosMode::Auto, {}, nullptr}, {}));
}

} // namespace

class TestPatternContent : public QObject {
    Q_OBJECT

private slots:
    void cellsAreThoseOfTheRun() {
        const auto result = resultOf(headscope::test::loadSample("gpt2-mini-6l"),
                                     "When Mary and John went to the store, John gave a drink to");
        const Run& run = *result->masked;
        const auto cells = patternCells(result->masked, {4, 1});
        QCOMPARE(cells->rows(), run.positions());
        const CellTile tile = cells->tile({{4, 12}, {2, 8}, 4, 3});
        QCOMPARE(tile.values.shape(), (Shape{4, 3}));
        for (std::size_t row = 0; row < 4; ++row) {
            for (std::size_t column = 0; column < 3; ++column) {
                float largest = NAN;
                for (std::size_t q = 4 + 2 * row; q < 6 + 2 * row; ++q)
                    for (std::size_t k = 2 + 2 * column; k < 4 + 2 * column && k <= q; ++k)
                        largest = std::fmax(largest, run.weight({4, 1}, q, k));
                const float shown = tile.values(row, column);
                QCOMPARE(std::isnan(shown), std::isnan(largest));
                QVERIFY(std::isnan(largest) || std::fabs(shown - largest) < 1e-6f);
            }
        }
        QVERIFY(std::isnan(tile.values(0, 2))); // queries 4 and 5 see no key 6
    }

    void aCellTellsItsWeightAndRank() {
        const auto result = resultOf(headscope::test::loadSample("gpt2-mini-6l"),
                                     "When Mary and John went to the store");
        const LayerHead head{4, 1};
        std::size_t rank = 1;
        const float weight = result->masked->weight(head, 6, 2);
        for (std::size_t key = 0; key <= 6; ++key)
            rank += result->masked->weight(head, 6, key) > weight;
        QCOMPARE(cellText(*result, head, 6, 2),
                 QStringLiteral("query ‹%1› 6 → key ‹%2› 2 · weight %3 · rank %4 of 7")
                     .arg(result->shown_pieces[6], result->shown_pieces[2],
                          QString::number(static_cast<double>(weight), 'f', 3))
                     .arg(rank));
        QVERIFY(cellText(*result, head, 2, 6).contains(QStringLiteral("cannot look ahead")));
    }

    void aCellOutsideTheWindowIsMasked() {
        const auto model = headscope::test::loadFixture("mistral-window");
        const std::size_t window = model->spec.window(0);
        QString ids;
        for (std::size_t i = 0; i < window + 3; ++i)
            ids += QStringLiteral("1 ");
        const auto result = resultOf(model, ids.toStdString());
        const QString text = cellText(*result, {0, 0}, window + 1, 0);
        QVERIFY2(text.contains(QStringLiteral("outside this layer's window")), qPrintable(text));
    }

    void aRowNamesItsLargestWeights() {
        const auto result =
            resultOf(headscope::test::loadSample("induction-circuit"), "A B C D A B C");
        const std::size_t query = result->prompt.ids.size() - 1;
        const QString text = rowText(*result, {1, 0}, query); // looks at what followed: D
        QVERIFY2(text.contains(QStringLiteral("looks at ‹%1› %2 1.000")
                                   .arg(result->shown_pieces[static_cast<qsizetype>(query) - 3])
                                   .arg(query - 3)),
                 qPrintable(text));
        QCOMPARE(text.count(QStringLiteral(" · ")), 3);
    }

    void labelsAreShared() {
        const auto result = resultOf(headscope::test::loadSample("microgpt"), "emma");
        const HeatmapContent content =
            patternContent(*result, patternCells(result->masked, {0, 0}), QString());
        QVERIFY(content.row_labels.isSharedWith(result->shown_pieces));
        QVERIFY(content.column_labels.isSharedWith(result->shown_pieces));
    }
};

QTEST_GUILESS_MAIN(TestPatternContent)
#include "test_pattern_content.moc"

#include "core/attribution/shown_attention.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "ui/document/prompt_run.h"
#include "ui/views/maps/pattern_content.h"

#include <QTest>

#include <cmath>

namespace test_pattern_content {

using namespace headscope;
using namespace headscope::ui;

namespace {

std::shared_ptr<const RunResult> resultOf(const std::shared_ptr<const Model>& model,
                                          const std::string& text) {
    return headscope::test::require(runPrompt({model, text, BosMode::Auto, {}, nullptr}, {}));
}

PatternSource sourceOf(const std::shared_ptr<const RunResult>& result) {
    return {result, nullptr, nullptr, {}};
}

} // namespace

class TestPatternContent : public QObject {
    Q_OBJECT

private slots:
    void cellsAreThoseOfTheRun() {
        const auto result = resultOf(headscope::test::loadSample("gpt2-mini-6l"),
                                     "When Mary and John went to the store, John gave a drink to");
        const Run& run = *result->masked;
        const auto cells = attentionMap(result->masked, {4, 1}).cells;
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
                QVERIFY(std::isnan(largest) || std::fabs(shown - largest) < 1e-5f);
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
        const HeadPattern pattern = attentionMap(result->masked, head);
        QCOMPARE(cellText(sourceOf(result), pattern, 6, 2),
                 QStringLiteral("query ‹%1› 6 → key ‹%2› 2 · weight %3 · rank %4 of 7")
                     .arg(result->shown_pieces[6], result->shown_pieces[2],
                          QString::number(static_cast<double>(weight), 'f', 3))
                     .arg(rank));
        QVERIFY(cellText(sourceOf(result), pattern, 2, 6)
                    .contains(QStringLiteral("cannot look ahead")));
    }

    void aLearnedSinkIsNamed() {
        const auto result = resultOf(headscope::test::loadFixture("gpt_oss"), "5 17 3 22 9");
        const LayerHead head{1, 2};
        const Run& run = *result->masked;
        const HeadPattern pattern = attentionMap(result->masked, head);
        const QString sink =
            QStringLiteral(" · learned sink %1").arg(run.sinkWeights(head)[3], 0, 'f', 3);
        QVERIFY(cellText(sourceOf(result), pattern, 3, 1).endsWith(sink));
        QVERIFY(rowText(*result, pattern, 3).endsWith(sink));
        double mean = 0.0;
        for (const float taken : run.sinkWeights(head))
            mean += static_cast<double>(taken) / static_cast<double>(run.positions());
        QVERIFY(std::abs(shareOfSink(run.sinkWeights(head)) - mean) < 1e-6);
        const double percent = 100.0 * mean;
        QVERIFY(percent > 10.0);
        QVERIFY(patternNote(sourceOf(result), pattern)
                    .contains(QStringLiteral("learned sink takes %1 % of the attention")
                                  .arg(percent, 0, 'f', 0)));
        const HeatmapContent content = patternContent(sourceOf(result), pattern, {});
        QCOMPARE(content.bars.size(), run.positions());
        QCOMPARE(content.bars[3], run.sinkWeights(head)[3]);
    }

    void aCellOutsideTheWindowIsMasked() {
        const auto model = headscope::test::loadFixture("mistral-window");
        const std::size_t window = model->spec.window(0);
        QString ids;
        for (std::size_t i = 0; i < window + 3; ++i)
            ids += QStringLiteral("1 ");
        const auto result = resultOf(model, ids.toStdString());
        const QString text =
            cellText(sourceOf(result), attentionMap(result->masked, {0, 0}), window + 1, 0);
        QVERIFY2(text.contains(QStringLiteral("outside this layer's window")), qPrintable(text));
    }

    void aRowNamesItsLargestWeights() {
        const auto result =
            resultOf(headscope::test::loadSample("induction-circuit"), "A B C D A B C");
        const std::size_t query = result->prompt.ids.size() - 1;
        const QString text = rowText(*result, attentionMap(result->masked, {1, 0}),
                                     query); // looks at what followed: D
        QVERIFY2(text.contains(QStringLiteral("looks at ‹%1› %2 1.000")
                                   .arg(result->shown_pieces[static_cast<qsizetype>(query) - 3])
                                   .arg(query - 3)),
                 qPrintable(text));
        QCOMPARE(text.count(QStringLiteral(" · ")), 3);
    }

    void valueWeightedIsWhatArrives() {
        const auto result = resultOf(headscope::test::loadSample("gpt2-mini-6l"),
                                     "When Mary and John went to the store, John gave a drink to");
        const Run& run = *result->masked;
        const LayerHead head{4, 1};
        const auto norms = std::make_shared<const Tensor>(
            headscope::test::require(valueNorms(run.model, run.ids)));
        const HeadPattern pattern = valueWeightedMap(result->masked, norms, head);
        const std::size_t query = run.positions() - 1;
        double sum = 0.0;
        std::vector<double> arrives;
        for (std::size_t key = 0; key <= query; ++key) {
            arrives.push_back(static_cast<double>(run.weight(head, query, key)) *
                              static_cast<double>((*norms)(4, 1, key)));
            sum += arrives.back();
        }
        const std::size_t key = 2;
        const QString share = QString::number(arrives[key] / sum, 'f', 3);
        QVERIFY(share !=
                QString::number(static_cast<double>(run.weight(head, query, key)), 'f', 3));
        const QString cell = cellText(sourceOf(result), pattern, query, key);
        QVERIFY2(cell.contains(QStringLiteral(" · value-weighted %1 · rank ").arg(share)),
                 qPrintable(cell));
        const QString row = rowText(*result, pattern, query);
        QVERIFY2(row.contains(
                     QStringLiteral("takes from ‹%1› 2 %2").arg(result->shown_pieces[2], share)),
                 qPrintable(row));
        const HeatmapContent content = patternContent(sourceOf(result), pattern, QString());
        QCOMPARE(content.value_name, QStringLiteral("value-weighted attention"));
        QVERIFY(content.note.contains(QStringLiteral("each row divided by its sum")));
        QVERIFY(std::isnan(pattern.cells->tile({{0, 1}, {1, 2}, 1, 1}).values(0u, 0u)));
    }

    void labelsAreShared() {
        const auto result = resultOf(headscope::test::loadSample("microgpt"), "emma");
        const HeatmapContent content =
            patternContent(sourceOf(result), attentionMap(result->masked, {0, 0}), QString());
        QVERIFY(content.row_labels.isSharedWith(result->shown_pieces));
        QVERIFY(content.column_labels.isSharedWith(result->shown_pieces));
    }
};

const headscope::test::TestRegistration<TestPatternContent> registration;

} // namespace test_pattern_content

#include "test_pattern_content.moc"

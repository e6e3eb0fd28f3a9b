#include "core/heads/head_type.h"
#include "tests/support/runner.h"
#include "ui/tables/score_table.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <limits>

namespace test_score_table {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr int kInduction = ScoreTable::FirstScoreColumn;
constexpr int kSink = ScoreTable::FirstScoreColumn + 1;

/// Certain scores for induction and sink with baseline 0.01, one of each for every head of layers
/// of `n_heads` heads.
std::shared_ptr<HeadScores> scoresOf(std::size_t n_heads, const std::vector<double>& induction,
                                     const std::vector<double>& sink) {
    auto scores = std::make_shared<HeadScores>();
    scores->heads = {induction.size() / n_heads, n_heads};
    scores->types = {HeadTypeId::Induction, HeadTypeId::Sink};
    for (const auto& [id, values] :
         {std::pair(HeadTypeId::Induction, induction), std::pair(HeadTypeId::Sink, sink)})
        for (std::size_t i = 0; i < values.size(); ++i)
            scores->scores.push_back({{i / n_heads, i % n_heads},
                                      id,
                                      values[i],
                                      0.01,
                                      values[i] - 0.02,
                                      values[i] + 0.02,
                                      values[i] / 2.0});
    scores->measured_on.assign(2, {"10 random sequences", "with BOS (id 0)", 10});
    return scores;
}

/// 12 layers of 12 heads: induction at 4.1, sink at 4.1 and 11.1.
std::shared_ptr<HeadScores> scoresOfMany() {
    std::vector<double> induction(144, 0.0);
    std::vector<double> sink(144, 0.0);
    induction[4 * 12 + 1] = 0.8;
    sink[4 * 12 + 1] = 0.9;
    sink[11 * 12 + 1] = 0.9;
    return scoresOf(12, induction, sink);
}

QString textAt(const QAbstractItemModel& table, int row, int column) {
    return table.index(row, column).data().toString();
}

QStringList headsOf(const QAbstractItemModel& table) {
    QStringList heads;
    for (int row = 0; row < table.rowCount(); ++row)
        heads << textAt(table, row, ScoreTable::HeadColumn);
    return heads;
}

} // namespace

class TestScoreTable : public QObject {
    Q_OBJECT

private slots:
    void hasARowPerHeadAndAColumnPerType() {
        ScoreTable table;
        const QAbstractItemModelTester tester(
            &table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.setScores(scoresOf(2, {0.8, 0.1, kUndefined, 0.2}, {0.9, 0.1, 0.1, 0.6}), {});
        QCOMPARE(table.rowCount(), 4);
        QCOMPARE(table.columnCount(), 4);
        QCOMPARE(table.headerData(kSink, Qt::Horizontal).toString(),
                 QStringLiteral("Attention sink"));
        QCOMPARE(textAt(table, 3, ScoreTable::HeadColumn), QStringLiteral("L1 H1"));
        QCOMPARE(textAt(table, 0, ScoreTable::TypesColumn),
                 QStringLiteral("attention sink, induction"));
        QCOMPARE(textAt(table, 0, kInduction), QStringLiteral("0.80"));
        QCOMPARE(textAt(table, 2, kInduction), QStringLiteral("–"));
        QCOMPARE(table.rowOf({1, 1}), 3);
        QCOMPARE(table.rowOf({2, 0}), -1);
        QCOMPARE(table.headAt(2), (LayerHead{1, 0}));
        table.setScores(nullptr, {});
        QCOMPARE(table.rowCount(), 0);
        QCOMPARE(table.rowOf({0, 0}), -1);
    }

    void numbersSayWhatStandsBehindThem() {
        ScoreTable table;
        table.setScores(scoresOf(1, {0.8}, {0.1}), {});
        const QModelIndex score = table.index(0, kInduction);
        const QString tip = score.data(Qt::ToolTipRole).toString();
        for (const char* part : {"L0 H0 · induction 0.80", "baseline 0.01 · 95 % 0.78–0.82",
                                 "0.40 from row 2 on", "A label from 0.30 on"})
            QVERIFY2(tip.contains(QString::fromUtf8(part)), qPrintable(tip));
        QVERIFY(score.data(Qt::TextAlignmentRole).value<Qt::Alignment>().testFlag(Qt::AlignRight));
        const QString header =
            table.headerData(kInduction, Qt::Horizontal, Qt::ToolTipRole).toString();
        QVERIFY2(header.contains(QStringLiteral("Olsson")), qPrintable(header));
        QVERIFY2(header.contains(QStringLiteral("Measured on 10 random sequences, with BOS")),
                 qPrintable(header));
    }

    void labelsFollowTheThresholds() {
        ScoreTable table;
        const auto scores = scoresOf(2, {0.8, 0.2}, {0.1, 0.1});
        table.setScores(scores, {});
        const QSignalSpy reset(&table, &QAbstractItemModel::modelReset);
        const QSignalSpy changed(&table, &QAbstractItemModel::dataChanged);
        QCOMPARE(table.index(0, kInduction).data(ScoreTable::LabelRole),
                 QVariant(static_cast<int>(HeadTypeId::Induction)));
        QVERIFY(!table.index(1, kInduction).data(ScoreTable::LabelRole).isValid());
        Thresholds thresholds;
        thresholds.set(HeadTypeId::Induction, 0.15);
        table.setScores(scores, thresholds);
        QVERIFY(table.index(1, kInduction).data(ScoreTable::LabelRole).isValid());
        QCOMPARE(textAt(table, 1, ScoreTable::TypesColumn), QStringLiteral("induction"));
        QCOMPARE(changed.size(), 1);
        QCOMPARE(reset.size(), 0);
        table.setScores(scoresOf(1, {0.8, 0.2}, {0.1, 0.1}), thresholds); // another shape
        QCOMPARE(reset.size(), 1);
    }

    void undefinedScoresComeLastInBothOrders() {
        auto* table = new ScoreTable;
        ScoreFilter found(table);
        table->setScores(scoresOf(4, {0.1, kUndefined, 0.9, 0.05}, {0.0, 0.0, 0.0, 0.0}), {});
        found.sort(kInduction, Qt::DescendingOrder);
        QCOMPARE(headsOf(found), (QStringList{QStringLiteral("L0 H2"), QStringLiteral("L0 H0"),
                                              QStringLiteral("L0 H3"), QStringLiteral("L0 H1")}));
        found.sort(kInduction, Qt::AscendingOrder);
        QCOMPARE(headsOf(found), (QStringList{QStringLiteral("L0 H3"), QStringLiteral("L0 H0"),
                                              QStringLiteral("L0 H2"), QStringLiteral("L0 H1")}));
        found.sort(ScoreTable::TypesColumn, Qt::AscendingOrder); // one has a type
        QCOMPARE(headsOf(found).first(), QStringLiteral("L0 H2"));
    }

    void headsSortByNumber() {
        auto* table = new ScoreTable;
        ScoreFilter found(table);
        table->setScores(scoresOfMany(), {});
        found.sort(ScoreTable::HeadColumn, Qt::DescendingOrder);
        QCOMPARE(headsOf(found).mid(0, 3),
                 (QStringList{QStringLiteral("L11 H11"), QStringLiteral("L11 H10"),
                              QStringLiteral("L11 H9")}));
    }

    void wordsFindHeads_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("count");
        QTest::addColumn<QString>("first");
        QTest::newRow("nothing") << QString() << 144 << "L0 H0";
        QTest::newRow("head") << "4.1" << 1 << "L4 H1";
        QTest::newRow("head of two digits") << "4.11" << 1 << "L4 H11";
        QTest::newRow("head on screen") << "L4 H1" << 1 << "L4 H1";
        QTest::newRow("head in one word") << "l4h1" << 1 << "L4 H1";
        QTest::newRow("layer") << "L1" << 12 << "L1 H0";
        QTest::newRow("layer, unfinished") << "4." << 12 << "L4 H0";
        QTest::newRow("number") << "H1" << 12 << "L0 H1";
        QTest::newRow("type") << "sink" << 2 << "L4 H1";
        QTest::newRow("part of a type") << "Induc" << 1 << "L4 H1";
        QTest::newRow("type in a layer") << "L11 sink" << 1 << "L11 H1";
        QTest::newRow("no such") << "quotation" << 0 << QString();
        QTest::newRow("beyond the model") << "99.1" << 0 << QString();
    }
    void wordsFindHeads() {
        QFETCH(QString, words);
        auto* table = new ScoreTable;
        ScoreFilter found(table);
        table->setScores(scoresOfMany(), {});
        found.search(words);
        QTEST(found.rowCount(), "count");
        QTEST(headsOf(found).value(0), "first");
    }

    void headsWithoutATypeCanBeLeftOut() {
        auto* table = new ScoreTable;
        ScoreFilter found(table);
        table->setScores(scoresOfMany(), {});
        found.setLabelledOnly(true);
        QCOMPARE(headsOf(found), (QStringList{QStringLiteral("L4 H1"), QStringLiteral("L11 H1")}));
        Thresholds thresholds;
        thresholds.set(HeadTypeId::Sink, 0.95);
        table->setScores(scoresOfMany(), thresholds);
        QCOMPARE(headsOf(found), (QStringList{QStringLiteral("L4 H1")}));
    }
};

const headscope::test::TestRegistration<TestScoreTable> registration;

} // namespace test_score_table

#include "test_score_table.moc"

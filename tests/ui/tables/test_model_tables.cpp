#include "core/model/model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "ui/tables/model_tables.h"
#include "ui/tables/table_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

namespace test_model_tables {

using namespace headscope;
using namespace headscope::ui;

class TestModelTables : public QObject {
    Q_OBJECT

private slots:
    void tableKeepsTheContractOfItemModels() {
        TableModel table({QStringLiteral("name"), QStringLiteral("count")});
        QAbstractItemModelTester tester(&table,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.setRows({{QStringLiteral("W_Q"), QStringLiteral("6")},
                       {QStringLiteral("W_E"), QStringLiteral("1")}});
        QCOMPARE(table.rowCount(), 2);
        QCOMPARE(table.rowCount(table.index(0, 0)), 0);
        QCOMPARE(table.index(1, 0).data().toString(), QStringLiteral("W_E"));
        QCOMPARE(table.headerData(1, Qt::Horizontal).toString(), QStringLiteral("count"));
        table.setRows({});
        QCOMPARE(table.rowCount(), 0);
    }

    void numbersSitOnTheRight() {
        TableModel table({QStringLiteral("name"), QStringLiteral("count")});
        table.setNumericColumns({1});
        table.setRows({{QStringLiteral("W_Q"), QStringLiteral("6")}});
        const auto alignment = [&](int column) {
            return table.index(0, column).data(Qt::TextAlignmentRole).value<Qt::Alignment>();
        };
        QVERIFY(alignment(1).testFlag(Qt::AlignRight));
        QVERIFY(!alignment(0).testFlag(Qt::AlignRight));
    }

    void cardSaysWhatSharingSaves() {
        const auto model = test::loadSample("llama-mini-gqa-4l");
        const ModelCard card = modelCard(*model);
        QString sharing;
        for (const auto& [name, text] : cardLines(*model, card))
            if (name == QStringLiteral("Sharing saves"))
                sharing = text;
        // 8 query heads on 2 KV heads keep a quarter of 4 layers · 2 · 8 · 32 float32.
        QVERIFY2(sharing.startsWith(QStringLiteral("75 % of 8.19 kB")), qPrintable(sharing));
    }

    void matricesAddUp() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const ModelCard card = modelCard(*model);
        qulonglong total = 0;
        for (const QStringList& row : matrixRows(card))
            total += QString(row.last()).remove(QLatin1Char(',')).toULongLong();
        QCOMPARE(total, static_cast<qulonglong>(card.total_parameters));
    }

    void reportNamesEveryTensorAndKey() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadReport& report = model->report;
        const QList<QStringList> rows = reportRows(report);
        qsizetype used = 0;
        qsizetype keys = 0;
        for (const QStringList& row : rows) {
            QCOMPARE(row.size(), reportHeader().size());
            used += row.first() == QStringLiteral("used");
            keys += row.first() == QStringLiteral("config key");
        }
        QCOMPARE(used, static_cast<qsizetype>(report.used.size()));
        QCOMPARE(keys, static_cast<qsizetype>(report.unused_config_keys.size()));
        QVERIFY(used > 0);
    }

    void countsAreShort_data() {
        QTest::addColumn<qulonglong>("count");
        QTest::addColumn<QString>("text");
        QTest::newRow("small") << 4192ull << QStringLiteral("4192");
        QTest::newRow("thousands") << 120000ull << QStringLiteral("120 k");
        QTest::newRow("millions") << 5900000ull << QStringLiteral("5.9 M");
        QTest::newRow("billions") << 8030000000ull << QStringLiteral("8.0 G");
    }
    void countsAreShort() {
        QFETCH(qulonglong, count);
        QTEST(countText(count), "text");
    }
};

const headscope::test::TestRegistration<TestModelTables> registration;

} // namespace test_model_tables

#include "test_model_tables.moc"

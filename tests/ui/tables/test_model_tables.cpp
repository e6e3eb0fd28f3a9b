#include "core/model/model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "ui/tables/model_tables.h"
#include "ui/tables/number_table.h"

#include <QTest>

#include <algorithm>

namespace test_model_tables {

using namespace headscope;
using namespace headscope::ui;

class TestModelTables : public QObject {
    Q_OBJECT

private slots:
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
        for (const NumberTable::Row& row : matrixRows(card))
            total += row.last().toULongLong();
        QCOMPARE(total, static_cast<qulonglong>(card.total_parameters));
    }

    void reportNamesEveryTensorAndKey() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const LoadReport& report = model->report;
        const QList<NumberTable::Row> rows = reportRows(report);
        qsizetype used = 0;
        qsizetype keys = 0;
        for (const NumberTable::Row& row : rows) {
            QCOMPARE(row.size(), reportColumns().size());
            used += row.first().toString() == QStringLiteral("used");
            keys += row.first().toString() == QStringLiteral("config key");
        }
        QCOMPARE(used, static_cast<qsizetype>(report.used.size()));
        QCOMPARE(keys, static_cast<qsizetype>(report.unused_config_keys.size()));
        QVERIFY(used > 0);
    }

    void cardAndReportNameWhatIsMissing() {
        auto model = *test::loadSample("gpt2-mini-6l");
        const auto line = [&] {
            for (const auto& [name, text] : cardLines(model, modelCard(model)))
                if (name == QStringLiteral("Missing"))
                    return text;
            return QString();
        };
        QVERIFY(line().isEmpty());
        model.report.missing = {{"h.5.mlp.c_fc.weight", "[d_model, d_mlp] = [256, 1024]"}};
        QCOMPARE(line(),
                 QStringLiteral("tensors that the config expects: 1, listed in the load report"));
        const QList<NumberTable::Row> rows = reportRows(model.report);
        const auto missing = std::ranges::find_if(rows, [](const NumberTable::Row& row) {
            return row.first().toString() == QStringLiteral("missing");
        });
        QVERIFY(missing != rows.end());
        QCOMPARE(missing->at(1).toString(), QStringLiteral("h.5.mlp.c_fc.weight"));
        QVERIFY(missing->at(2).toString().contains(QStringLiteral("[256, 1024]")));
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

// What pooled key and value heads cost, against the float64 reference engine.

#include "core/pruning/grouping_losses.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/reference_engine.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <stop_token>
#include <string>

namespace test_grouping_losses {

using namespace headscope;
using namespace headscope::test;

class TestGroupingLosses : public QObject {
    Q_OBJECT

private slots:
    void areThoseOfTheFloat64Reference();
    void tableAndSummary();
    void refusals();
};

void TestGroupingLosses::areThoseOfTheFloat64Reference() {
    for (const char* name : {"gpt2", "llama-gqa"}) {
        const auto model = loadFixture(name);
        const PassageSet calibration = randomPassages(*model, 8, 14, 1);
        const PassageSet test = randomPassages(*model, 3, 14, 2);
        const GroupingResult result = require(measureGroupings(model, calibration, test));
        const AttentionMoments moments = require(attentionMoments(model, calibration));
        QCOMPARE(result.points.size(), 2 * pooledCounts(model->spec).size());
        for (const GroupingPoint& point : result.points) {
            const auto pooled =
                require(pooledModel(*model, point.n_kv_heads, point.pooling, &moments));
            double expected = 0.0;
            for (const Passage& passage : test.passages) {
                const Matrix logits = referenceRun(*pooled, passage.ids).logits;
                for (const Target& target : passage.targets) {
                    double sum = 0.0;
                    for (std::size_t i = 0; i < logits.cols; ++i)
                        sum += std::exp(logits(target.position, i));
                    expected += std::log(sum) -
                                logits(target.position, static_cast<std::size_t>(target.token));
                }
            }
            expected /= static_cast<double>(test.targets);
            const double found = meanOf(result.layout, point.sums).loss;
            QVERIFY2(std::abs(found / expected - 1.0) < 1e-5,
                     qPrintable(QStringLiteral("%1 for %2").arg(found).arg(expected)));
            QCOMPARE(point.cost.kv_per_token,
                     result.whole_cost.kv_per_token * point.n_kv_heads / model->spec.n_kv_heads);
        }
    }
}

void TestGroupingLosses::tableAndSummary() {
    const auto model = loadFixture("gpt2");
    const PassageSet calibration = randomPassages(*model, 8, 14, 1);
    const PassageSet test = randomPassages(*model, 3, 14, 2);
    const GroupingResult result = require(measureGroupings(model, calibration, test));
    const Table table = groupingTable(result, calibration, test, {});
    QCOMPARE(table.rows.size(), result.points.size() + 1);
    for (const TableRow& row : table.rows)
        QCOMPARE(row.size(), table.columns.size());
    const std::string text = groupingText(result);
    const std::string heads = std::to_string(model->spec.n_kv_heads);
    QVERIFY2(text.starts_with("Keys and values of " + heads + " heads in "), text.c_str());
    QVERIFY2(text.ends_with(" % of the tokens, and a KV cache of 50 %."), text.c_str());
}

void TestGroupingLosses::refusals() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 4, 40, 1);
    QVERIFY(!measureGroupings(model, text, text));
    std::stop_source stopped;
    stopped.request_stop();
    const auto cancelled =
        measureGroupings(model, text, randomPassages(*model, 4, 40, 2), {}, stopped.get_token());
    QVERIFY(!cancelled && cancelled.error().code == ErrorCode::Cancelled);
}

const headscope::test::TestRegistration<TestGroupingLosses> registration;

} // namespace test_grouping_losses

#include "test_grouping_losses.moc"

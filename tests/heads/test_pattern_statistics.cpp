// Streaming statistics against plain loops over whole patterns, and against patterns whose numbers
// are known.

#include "core/engine/engine.h"
#include "core/heads/meters/pattern_statistics.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_pattern_statistics {

using namespace headscope;
using namespace headscope::test;

namespace {

PatternStatistics statisticsOf(const Run& run) {
    PatternStatistics statistics(run.model->spec, run.positions(), 3);
    showPatterns(run, statistics);
    return statistics;
}

} // namespace

class TestPatternStatistics : public QObject {
    Q_OBJECT

private slots:
    void uniformHead() {
        const auto run = runWithPattern(TokenIds(5, 1), [](std::size_t q, std::size_t) {
            return 1.0 / static_cast<double>(q + 1);
        });
        const PatternStatistics statistics = statisticsOf(run);
        const PatternSummary& head = statistics.of(kGiven);
        QVERIFY(std::abs(head.entropy[4] - std::log(5.0)) < 1e-6);
        QCOMPARE(head.entropy[0], 0.0);
        QVERIFY(std::abs(head.distance[4] - 2.0) < 1e-6);
        QVERIFY(std::abs(head.offsetMass(0) - (1.0 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5)) <
                1e-6);
        QCOMPARE(head.offsetMass(-1), 0.0);
        QCOMPARE(head.argmax[4], std::size_t{0});
    }

    void agreesWithWholePatterns_data() {
        QTest::addColumn<QString>("fixture");
        for (const char* name : {"gpt2", "mistral-window", "bert", "llama-gqa"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void agreesWithWholePatterns();
};

/// Gathered during the forward pass and afterwards.
void TestPatternStatistics::agreesWithWholePatterns() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    RunItem item;
    for (std::size_t t = 0; t < 60; ++t)
        item.ids.push_back(static_cast<TokenId>(t * t % 41));
    PatternStatistics during(model->spec, item.ids.size(), 3);
    item.observers = {&during};
    const auto run = require(runBatch(model, {&item, 1})).front();
    const PatternStatistics afterwards = statisticsOf(*run);
    const LayerHead id{1, model->spec.n_heads - 1};
    const Tensor pattern = run->pattern(id);
    const auto T = static_cast<std::ptrdiff_t>(item.ids.size());
    for (const PatternStatistics* statistics :
         {const_cast<const PatternStatistics*>(&during), &afterwards}) {
        const PatternSummary& head = statistics->of(id);
        for (std::ptrdiff_t offset = 1 - T; offset < T; ++offset) {
            double sum = 0.0;
            for (std::ptrdiff_t q = 0; q < T; ++q)
                if (q - offset >= 0 && q - offset < T)
                    sum += pattern(q, q - offset);
            QVERIFY(std::abs(head.offsetMass(offset) - sum) < 1e-5);
        }
        for (std::size_t i = 0; i < item.ids.size(); ++i) {
            double mass = 0.0;
            double entropy = 0.0;
            double distance = 0.0;
            for (std::size_t j = 0; j < item.ids.size(); ++j) {
                const double weight = pattern(i, j);
                mass += pattern(j, i);
                entropy -= weight > 0.0 ? weight * std::log(weight) : 0.0;
                distance += weight * std::abs(static_cast<double>(i) - static_cast<double>(j));
            }
            QVERIFY(std::abs(head.key_mass[i] - mass) < 1e-5);
            QVERIFY(std::abs(head.entropy[i] - entropy) < 1e-5);
            QVERIFY(std::abs(head.distance[i] - distance) < 1e-4);
            const std::span<const float> row =
                pattern.values().subspan(i * item.ids.size(), item.ids.size());
            const auto largest = std::ranges::max_element(row);
            QVERIFY(std::abs(row[head.argmax[i]] - *largest) < 1e-6f);
            std::vector<float> sorted(row.begin(), row.end());
            std::ranges::sort(sorted, std::greater{});
            for (std::size_t n = 0; n < head.top[i].size(); ++n)
                QVERIFY(std::abs(head.top[i][n].weight - sorted[n]) < 1e-6f);
        }
    }
}

const headscope::test::TestRegistration<TestPatternStatistics> registration;

} // namespace test_pattern_statistics

#include "test_pattern_statistics.moc"

#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "ui/document/circuit_reading.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace test_circuit_reading {

using namespace headscope;
using namespace headscope::ui;
using headscope::test::loadFixture;
using headscope::test::loadSample;

namespace {

std::shared_ptr<const CircuitReading> readingOf(const std::shared_ptr<const Model>& model,
                                                std::optional<Offset> offset = std::nullopt,
                                                const CircuitReading* known = nullptr) {
    return readCircuits(model, offset, known, {}, {});
}

} // namespace

class TestCircuitReading : public QObject {
    Q_OBJECT

private slots:
    void scoresStandAboveRandom() {
        const auto reading = readingOf(loadSample("gpt2-mini-6l"));
        QVERIFY(reading->composition);
        const CompositionScores& scores = *reading->composition;
        const Tensor above = scoresAboveRandom(scores, CompositionKind::V);
        QCOMPARE(above.shape(), (Shape{48, 48}));
        const double expected = scores.aboveBaseline(CompositionKind::V, {2, 1}, {3, 0});
        QVERIFY(std::fabs(static_cast<double>(above(17u, 24u)) - expected) < 1e-6);
        QVERIFY(std::isnan(above(24u, 17u)));
        QCOMPARE(reading->copying->size(), std::size_t{48});
    }

    void offsetsAreReadAnewAndSaid() {
        const auto model = loadSample("llama-mini-gqa-4l");
        const auto first = readingOf(model, 1);
        const auto second = readingOf(model, 3, first.get());
        QVERIFY(second->weights == first->weights);
        const auto at = [](const CircuitReading& reading) {
            return reading.composition->at(CompositionKind::Q, {1, 6}, {2, 4});
        };
        QVERIFY(at(*first) != at(*second));
        QVERIFY2(circuitNote(*second).endsWith(QStringLiteral("at offset 3.")),
                 qPrintable(circuitNote(*second)));
        QVERIFY(circuitNote(*second).startsWith(QStringLiteral("Folded: ")));
        QVERIFY(!circuitNote(*readingOf(loadSample("gpt2-mini-6l")))
                     .contains(QStringLiteral("offset")));
    }

    void progressRunsThroughBothParts() {
        std::vector<double> fractions;
        readCircuits(loadSample("gpt2-mini-6l"), std::nullopt, nullptr,
                     [&](double fraction, std::string_view) { fractions.push_back(fraction); }, {});
        QVERIFY(std::is_sorted(fractions.begin(), fractions.end()));
        QVERIFY(fractions.front() < 0.5);
        QCOMPARE(fractions.back(), 1.0);
    }

    void withoutAVocabularyOnlyCopyingFails() {
        const auto reading = readingOf(loadSample("notebook"));
        QVERIFY(reading->composition);
        QVERIFY(!reading->copying);
    }

    void edgesAreNamed() {
        const auto reading = readingOf(loadSample("attn-only-2l"));
        const CompositionScores& scores = *reading->composition;
        const QString text = edgeText(scores, CompositionKind::K, {0, 3}, {1, 5});
        QCOMPARE(text,
                 QStringLiteral("L0 H3 → L1 H5 · K-composition %1, %2 above the baseline")
                     .arg(numberText(scores.at(CompositionKind::K, {0, 3}, {1, 5}), 4),
                          numberText(scores.aboveBaseline(CompositionKind::K, {0, 3}, {1, 5}), 4)));
        QVERIFY(edgeText(scores, CompositionKind::K, {1, 5}, {0, 3})
                    .contains(QStringLiteral("only heads of later layers")));
        const auto edge = strongestEdges(scores, 1, CompositionKind::Q).front();
        QCOMPARE(edgeRow(edge).size(), edgeColumns().size());
    }

    void headsWithoutAScoreComeLast() {
        const auto heads = strongestCopying(
            {{{0, 0}, {}, 0.2}, {{0, 1}, {}, std::nan("")}, {{0, 2}, {}, -0.9}, {{0, 3}, {}, 0.8}});
        std::vector<std::size_t> order;
        for (const HeadCopying& head : heads)
            order.push_back(head.head.head);
        QCOMPARE(order, (std::vector<std::size_t>{3, 0, 2, 1}));
        QCOMPARE(copyingRow(heads.front()).size(), copyingColumns().size());
    }
};

const headscope::test::TestRegistration<TestCircuitReading> registration;

} // namespace test_circuit_reading

#include "test_circuit_reading.moc"

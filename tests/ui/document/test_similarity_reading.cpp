#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "ui/document/similarity_reading.h"
#include "ui/tables/head_text.h"

#include <QTest>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace test_similarity_reading {

using namespace headscope;
using namespace headscope::ui;
using headscope::test::loadSample;
using headscope::test::require;

namespace {

HeadSimilarity similarityOf(const char* sample) {
    return require(compareHeads(loadSample(sample)));
}

/// Mean distance of neighbours in this order.
double meanStep(const Tensor& distances) {
    double sum = 0.0;
    for (std::size_t i = 1; i < distances.dim(0); ++i)
        sum += static_cast<double>(distances(i - 1, i));
    return sum / static_cast<double>(distances.dim(0) - 1);
}

} // namespace

class TestSimilarityReading : public QObject {
    Q_OBJECT

private slots:
    void neighboursAreAlike() {
        const HeadSimilarity similarity = similarityOf("gpt2-mini-6l");
        std::vector<std::size_t> heads = similarity.order;
        std::sort(heads.begin(), heads.end());
        for (std::size_t i = 0; i < heads.size(); ++i)
            QCOMPARE(heads[i], i);
        const Tensor ordered = orderedDistances(similarity);
        QCOMPARE(ordered(3u, 7u),
                 similarity.pattern_distance(similarity.order[3], similarity.order[7]));
        QVERIFY(meanStep(ordered) < meanStep(similarity.pattern_distance));
        const Merge& closest = similarity.tree.merges.front();
        const auto place = [&](std::size_t head) {
            return std::find(similarity.order.begin(), similarity.order.end(), head);
        };
        QCOMPARE(std::abs(place(closest.a) - place(closest.b)), std::ptrdiff_t{1});
    }

    void pairsAndClustersAreNamed() {
        const HeadSimilarity similarity = similarityOf("attn-only-2l");
        const auto pairs = similarPairs(similarity, 0.7);
        QVERIFY(!pairs.empty());
        QCOMPARE(pairRow(pairs.front()).size(), pairColumns().size());
        const std::size_t n_heads = similarity.index.heads(0);
        const auto index = [&](LayerHead head) { return head.layer * n_heads + head.head; };
        const QString text = pairText(similarity, index(pairs.front().a), index(pairs.front().b));
        QVERIFY2(text.contains(QStringLiteral("pattern distance %1 nats")
                                   .arg(numberText(pairs.front().distance, 4))),
                 qPrintable(text));
        QCOMPARE(
            clusterText(similarity, 0.0),
            QStringLiteral("No heads are closer than 0.00. The closest are %1 and %2, %3 apart.")
                .arg(headName(pairs.front().a), headName(pairs.front().b),
                     numberText(pairs.front().distance, 4)));
        const QString all = clusterText(similarity, 0.7);
        QVERIFY2(all.startsWith(QStringLiteral("1 cluster closer than 0.70: L")), qPrintable(all));
        QCOMPARE(all.count(QLatin1Char('H')), static_cast<qsizetype>(similarity.heads()));
    }
};

const headscope::test::TestRegistration<TestSimilarityReading> registration;

} // namespace test_similarity_reading

#include "test_similarity_reading.moc"

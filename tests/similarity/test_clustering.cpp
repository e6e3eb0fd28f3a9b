#include "core/similarity/clustering.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <vector>

namespace test_clustering {

using namespace headscope;

namespace {

/// Of points on a line.
Tensor distancesOf(const std::vector<float>& points) {
    Tensor distances({points.size(), points.size()});
    for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t j = 0; j < points.size(); ++j)
            distances(i, j) = std::abs(points[i] - points[j]);
    return distances;
}

ClusterTree sixPoints() {
    return averageLinkage(distancesOf({0.0f, 1.0f, 1.5f, 4.0f, 4.4f, 9.0f}).matrix());
}

using Numbers = std::vector<std::size_t>;
using Clusters = std::vector<Numbers>;

} // namespace

class TestClustering : public QObject {
    Q_OBJECT

private slots:
    /// Heights by hand: the last but one is the mean of 4, 4.4, 3, 3.4, 2.5 and 2.9.
    void averageLinkageOfSixPoints() {
        const std::vector<Merge> expected{
            {3, 4, 0.4}, {1, 2, 0.5}, {0, 7, 1.25}, {6, 8, 20.2 / 6}, {5, 9, 6.82}};
        const ClusterTree tree = sixPoints();
        QCOMPARE(tree.items, 6u);
        QCOMPARE(tree.merges.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(tree.merges[i].a, expected[i].a);
            QCOMPARE(tree.merges[i].b, expected[i].b);
            QVERIFY(std::abs(tree.merges[i].height - expected[i].height) < 1e-6);
        }
    }

    void leavesStandBesideTheirCluster() {
        QCOMPARE(leafOrder(sixPoints()), (Numbers{5, 3, 4, 0, 1, 2}));
    }

    void cuts_data() {
        QTest::addColumn<double>("height");
        QTest::addColumn<Clusters>("clusters");
        QTest::newRow("nothing") << 0.0 << Clusters{{0}, {1}, {2}, {3}, {4}, {5}};
        QTest::newRow("below, not at") << 0.5 << Clusters{{0}, {1}, {2}, {3, 4}, {5}};
        QTest::newRow("three") << 2.0 << Clusters{{0, 1, 2}, {3, 4}, {5}};
        QTest::newRow("all") << 7.0 << Clusters{{0, 1, 2, 3, 4, 5}};
    }
    void cuts() {
        QFETCH(double, height);
        QFETCH(Clusters, clusters);
        QCOMPARE(clustersBelow(sixPoints(), height), clusters);
    }

    void oneItemAndNone() {
        const ClusterTree one = averageLinkage(distancesOf({3.0f}).matrix());
        QVERIFY(one.merges.empty());
        QCOMPARE(leafOrder(one), Numbers{0});
        QCOMPARE(clustersBelow(one, 1.0), Clusters{{0}});
        QVERIFY(leafOrder(averageLinkage({})).empty());
    }

    void equalDistancesMergeInOrder() {
        const ClusterTree tree = averageLinkage(Tensor({4, 4}).matrix());
        QCOMPARE(leafOrder(tree), (Numbers{3, 2, 0, 1}));
        QCOMPARE(clustersBelow(tree, 1e-9), (Clusters{{0, 1, 2, 3}}));
    }
};

const headscope::test::TestRegistration<TestClustering> registration;

} // namespace test_clustering

#include "test_clustering.moc"

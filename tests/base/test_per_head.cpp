#include "core/base/per_head.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace test_per_head {

using namespace headscope;

class TestPerHead : public QObject {
    Q_OBJECT

private slots:
    void namesOfLayers() {
        const auto text = [](const std::vector<std::size_t>& layers) { return layersText(layers); };
        QCOMPARE(text({3}), std::string("layer 3"));
        QCOMPARE(text({0, 1}), std::string("layers 0 and 1"));
        QCOMPARE(text({0, 1, 2, 5}), std::string("layers 0 to 2 and 5"));
        QCOMPARE(text({0, 2, 3, 7, 8, 9}), std::string("layers 0, 2, 3 and 7 to 9"));
    }

    void headsOfLayersOfDifferentSizes() {
        const HeadIndex index(
            4, std::array<LayerHead, 6>{{{0, 0}, {0, 1}, {2, 0}, {2, 1}, {2, 2}, {3, 0}}});
        QCOMPARE(index.layers(), 4u);
        QCOMPARE(index.size(), 6u);
        QCOMPARE(index.heads(2), 3u);
        QCOMPARE(index.placeOf({2, 1}), 3u);
        QCOMPARE(index.at(3), (LayerHead{2, 1}));
        QVERIFY(index.contains({3, 0}));
        QVERIFY(!index.contains({1, 0}));
        QVERIFY(!index.contains({4, 0}));
        const std::vector<LayerHead> all(index.begin(), index.end());
        QVERIFY(all == (std::vector<LayerHead>{{0, 0}, {0, 1}, {2, 0}, {2, 1}, {2, 2}, {3, 0}}));
        for (std::size_t place = 0; place < index.size(); ++place)
            QCOMPARE(index.placeOf(index.at(place)), place);
    }

    void headsBetweenRemovedOnesKeepTheirNumbers() {
        const std::array<LayerHead, 4> heads{{{0, 2}, {0, 5}, {2, 0}, {2, 3}}};
        const HeadIndex index(3, heads);
        QCOMPARE(index.size(), 4u);
        QCOMPARE(index.heads(0), 2u);
        QCOMPARE(index.placeOf({2, 3}), 3u);
        QCOMPARE(index.at(1), (LayerHead{0, 5}));
        QVERIFY(index.contains({0, 5}));
        QVERIFY(!index.contains({0, 0}) && !index.contains({2, 1}) && !index.contains({3, 0}));
        QVERIFY(std::ranges::equal(index, heads));
        const HeadIndex::Range last = index.in(2);
        QVERIFY(std::equal(last.begin(), last.end(), heads.begin() + 2));
        PerHead<int> values(index);
        values[{2, 3}] = 7;
        QVERIFY(values.layer(1).empty());
        QCOMPARE(values.layer(2)[1], 7);
    }

    void noHeads() {
        const HeadIndex index;
        QCOMPARE(index.layers(), 0u);
        QCOMPARE(index.size(), 0u);
        QVERIFY(index.begin() == index.end());
        QVERIFY(index == HeadIndex(0, 8));
    }

    void valuesByHead() {
        PerHead<int> values(HeadIndex(2, 3), 7);
        values[{1, 0}] = 1;
        values[{0, 2}] = 2;
        QVERIFY(values.values() == (std::vector<int>{7, 7, 2, 1, 7, 7}));
        QVERIFY(std::ranges::equal(values.layer(1), std::array{1, 7, 7}));
        values.layer(0)[1] = 5;
        QCOMPARE(std::as_const(values)[(LayerHead{0, 1})], 5);
        PerHead<bool> flags(HeadIndex(2, 3));
        flags[{1, 2}] = true;
        QVERIFY(flags.values().back());
    }
};

const headscope::test::TestRegistration<TestPerHead> registration;

} // namespace test_per_head

#include "test_per_head.moc"

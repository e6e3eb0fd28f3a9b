// Queries and keys by dimension, against what hooks see of them.

#include "core/attribution/score_row.h"
#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace test_query_dimensions {

using namespace headscope;
using namespace headscope::test;

namespace {

/// The first of these points that the network has.
HookPoint firstOf(const ModelSpec& spec, std::initializer_list<HookPoint> points) {
    const std::vector<HookPoint> all = hookPoints(spec);
    return *std::ranges::find_if(
        points, [&](HookPoint point) { return std::ranges::find(all, point) != all.end(); });
}

/// One head's vector at a position of [position, head, d_head], or of all heads side by side.
std::vector<double> vectorAt(const Tensor& value, std::size_t position, std::size_t place,
                             std::size_t d_head) {
    const float* begin = &value.values()[position * (value.size() / value.dim(0)) + place * d_head];
    return {begin, begin + d_head};
}

bool near(const std::vector<double>& found, const std::vector<double>& expected) {
    const double size = std::abs(
        *std::ranges::max_element(expected, {}, [](double value) { return std::abs(value); }));
    return std::ranges::equal(found, expected, [&](double a, double b) {
        return std::abs(a - b) <= 1e-5 * std::max(1.0, size);
    });
}

} // namespace

class TestQueryDimensions : public QObject {
    Q_OBJECT

private slots:
    void areWhatHooksSee_data() {
        QTest::addColumn<std::string>("name");
        for (const auto& names : {fixtureNames(), variantNames()})
            for (const std::string& name : names)
                QTest::newRow(name.c_str()) << name;
    }
    void areWhatHooksSee() {
        QFETCH(std::string, name);
        const auto model = loadFixture(name);
        const ModelSpec& spec = model->spec;
        const LayerHead head = spec.allHeads().back();
        const std::size_t layer = head.layer;
        const HookPoint query_before =
            firstOf(spec, {{HookKind::QNormOut, layer}, {HookKind::Q, layer}});
        const HookPoint key_before =
            firstOf(spec, {{HookKind::KNormOut, layer}, {HookKind::K, layer}});
        const bool turned = spec.rotaryIn(layer) && !spec.qk_norm_after_rotary;
        HookSet hooks;
        for (const HookPoint point : {query_before, key_before})
            hooks.capture(point);
        if (turned)
            for (const HookKind kind : {HookKind::RotQ, HookKind::RotK})
                hooks.capture(HookPoint{kind, layer});
        const TokenIds ids = someIds(spec, 9);
        const auto run = require(runModel(model, ids, {}, hooks));
        const StreamRun stream = require(StreamRun::read(model, {ids}));
        const std::size_t query = ids.size() - 2;
        const QueryDimensions found = require(queryDimensions(stream, head, query));
        const auto seen = [&](HookPoint point, std::size_t position, std::size_t place) {
            return vectorAt(run->captured.at(point), position, place, spec.d_head);
        };
        QCOMPARE(found.turned, turned);
        QVERIFY(near(found.query_before, seen(query_before, query, spec.headPlace(head))));
        const ScoreRow row(stream, head, query);
        for (std::size_t i = 0; i < found.positions.size(); ++i) {
            const std::size_t key = found.positions.begin + i;
            const auto rowOf = [&](const DoubleMatrix& matrix) {
                return std::vector<double>(
                    matrix.values.begin() + static_cast<std::ptrdiff_t>(i * matrix.cols),
                    matrix.values.begin() + static_cast<std::ptrdiff_t>((i + 1) * matrix.cols));
            };
            QVERIFY(near(rowOf(found.keys_before), seen(key_before, key, spec.kvPlace(head))));
            if (turned)
                QVERIFY(near(rowOf(found.keys),
                             seen({HookKind::RotK, layer}, key, spec.kvPlace(head))));
            const std::vector<double> parts = rowOf(found.parts);
            QVERIFY(std::abs(std::accumulate(parts.begin(), parts.end(), 0.0) - row.product(key)) <=
                    1e-4 * std::max(1.0, std::abs(row.product(key))));
        }
        if (turned)
            QVERIFY(near(found.query, seen({HookKind::RotQ, layer}, query, spec.headPlace(head))));
    }

    void onlyKeysThatAreSeen() {
        const auto model = loadFixture("gpt2");
        const StreamRun stream = require(StreamRun::read(model, {someIds(model->spec, 9)}));
        const QueryDimensions found = require(queryDimensions(stream, {1, 0}, 3));
        QCOMPARE(found.positions.size(), std::size_t{4});
        QVERIFY(!found.turned);
        QVERIFY(!queryDimensions(stream, {1, 0}, 9));
        QVERIFY(!queryDimensions(stream, {99, 0}, 3));
    }
};

const headscope::test::TestRegistration<TestQueryDimensions> registration;

} // namespace test_query_dimensions

#include "test_query_dimensions.moc"

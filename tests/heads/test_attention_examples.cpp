// On a circuit made by hand, whose patterns are known exactly.

#include "core/heads/examples.h"
#include "core/heads/score_heads.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

namespace test_attention_examples {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

namespace {

constexpr std::size_t kSequences = 25;
constexpr std::size_t kPeriod = 8;
constexpr std::size_t kLength = 2 * kPeriod + 1;

bool near(double found, double expected) {
    if (std::abs(found - expected) <= 1e-5)
        return true;
    qWarning("found %.9g, expected %.9g", found, expected);
    return false;
}

constexpr LayerHead kFirst{};

} // namespace

class TestAttentionExamples : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        model_ = loadSample("induction-circuit");
        sequences_ =
            require(repeatedRandomSequences(*model_, {.sequences = kSequences, .period = kPeriod}));
        heads_ = require(attentionExamples(model_, sequences_, {.per_interval = 2}));
        QCOMPARE(heads_.size(), std::size_t{8});
    }

    // 0.2 looks at position 0 from everywhere.
    void meansOfTheSink() {
        const AttentionMeans& means = head({0, 2}).means;
        const double length = kLength;
        QVERIFY(near(means.self, 1.0 / length));
        QVERIFY(near(means.previous, 1.0 / (length - 1.0)));
        QVERIFY(near(means.entropy, 0.0));
        QVERIFY(near(means.distance, (length - 1.0) / 2.0));
        QVERIFY(near(means.distance_variance, (length * length - 1.0) / 12.0));
    }

    // 0.3 looks at everything alike.
    void meansOfTheEvenHead() {
        double entropy = 0.0;
        for (std::size_t keys = 1; keys <= kLength; ++keys)
            entropy += std::log(static_cast<double>(keys)) / double{kLength};
        QVERIFY(near(head({0, 3}).means.entropy, entropy));
    }

    void strongestIsOffPositionZeroAndTheDiagonal() {
        for (const float strongest : head({0, 2}).strongest) // position 0 alone
            QVERIFY(near(static_cast<double>(strongest), 0.0));
        for (const float strongest : head({1, 1}).strongest) // itself alone
            QVERIFY(near(static_cast<double>(strongest), 0.0));
        for (const float strongest : head({1, 0}).strongest) // induction
            QVERIFY(near(static_cast<double>(strongest), 1.0));
        QCOMPARE(head({1, 0}).strongest.size(), kSequences);
    }

    void examplesComeFromEveryInterval() {
        for (const HeadExamples& each : heads_) {
            QCOMPARE(each.examples.size(), 2 * kExampleIntervals);
            std::set<std::size_t> sequences;
            for (std::size_t i = 0; i < each.examples.size(); ++i) {
                const AttentionExample& example = each.examples[i];
                QCOMPARE(example.interval, kExampleIntervals - i / 2);
                QVERIFY(sequences.insert(example.sequence).second);
                if (i > 0)
                    QVERIFY(each.strongest[example.sequence] <=
                            each.strongest[each.examples[i - 1].sequence]);
            }
        }
    }

    void entriesAreTheLargestWeights() {
        const AttentionExample& example = head({1, 0}).examples.front();
        std::size_t induction = 0;
        for (const ShownWeight& entry : example.entries) {
            QVERIFY(entry.weight >= ExampleOptions().least_weight);
            QVERIFY(entry.key <= entry.query && entry.query < kLength);
            if (entry.query > kPeriod && entry.key + kPeriod == entry.query + 1) {
                QVERIFY(near(static_cast<double>(entry.weight), 1.0));
                ++induction;
            }
        }
        QCOMPARE(induction, kPeriod);
        // An even head has 17 keys in its last row, of which the eight largest are kept.
        const auto& even = head({0, 3}).examples.front().entries;
        QCOMPARE(std::ranges::count(even, std::uint32_t{kLength - 1}, &ShownWeight::query),
                 std::ptrdiff_t{8});
    }

    void oneSequenceIsTheStrongest() {
        const auto one = require(attentionExamples(model_, std::span(sequences_).first(1)));
        QCOMPARE(one[kFirst].examples.size(), std::size_t{1});
        QCOMPARE(one[kFirst].examples.front().interval, kExampleIntervals);
    }

    void oneTokenHasNoPreviousOne() {
        const std::vector<InputSequence> short_one{{{0}, true, std::nullopt}};
        const auto found = require(attentionExamples(model_, short_one));
        QVERIFY(std::isnan(found[kFirst].means.previous));
        QCOMPARE(found[kFirst].means.self, 1.0);
        QCOMPARE(found[kFirst].strongest.front(), 0.0f);
    }

    void stopsAndRefuses() {
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = attentionExamples(model_, sequences_, {}, {}, stop.get_token());
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
        QVERIFY(!attentionExamples(model_, {}));
    }

private:
    const HeadExamples& head(LayerHead which) const { return heads_[which]; }

    std::shared_ptr<const Model> model_;
    std::vector<InputSequence> sequences_;
    PerHead<HeadExamples> heads_;
};

const headscope::test::TestRegistration<TestAttentionExamples> registration;

} // namespace test_attention_examples

#include "test_attention_examples.moc"

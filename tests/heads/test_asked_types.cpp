#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace test_asked_types {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr RepeatOptions kFew{.sequences = 2};

/// Every number of one type.
std::vector<double> numbersOf(const HeadScores& scores, HeadTypeId type) {
    std::vector<double> numbers;
    for (const LayerHead head : scores.heads) {
        const HeadScore& score = scores.at(type, head);
        numbers.insert(numbers.end(),
                       {score.score, score.baseline, score.low, score.high, score.variant,
                        score.on_sentences, score.control, score.above_control, score.p_value});
    }
    return numbers;
}

/// Equal up to the rounding of float32: what is asked decides what a run keeps, and with that the
/// order of its sums.
bool areEqual(double one, double other) {
    constexpr double kRounding = 1e-6;
    return std::isnan(one) ? std::isnan(other) : std::abs(one - other) <= kRounding;
}

/// The stages of the work that were reported.
std::set<std::string> stagesOf(const std::shared_ptr<const Model>& model,
                               const std::vector<HeadTypeId>& types) {
    std::set<std::string> stages;
    require(scoreTypes(model, types, kFew, [&](double fraction, std::string_view stage) {
        if (fraction < 1.0)
            stages.emplace(stage);
    }));
    return stages;
}

} // namespace

class TestAskedTypes : public QObject {
    Q_OBJECT

private slots:
    void oneTypeHasTheScoresItHasAmongAll_data() {
        QTest::addColumn<bool>("has_tokenizer");
        QTest::newRow("sentences") << true;
        QTest::newRow("random tokens in their place") << false;
    }

    void oneTypeHasTheScoresItHasAmongAll() {
        QFETCH(bool, has_tokenizer);
        auto changed = std::make_shared<Model>(*loadSample("attn-only-2l"));
        if (!has_tokenizer)
            changed->tokenizer.reset();
        const std::shared_ptr<const Model> model = changed;
        const HeadScores all = require(scoreHeads(model, kFew));
        // One of each input, and what is read from two of them.
        for (const HeadTypeId id :
             {HeadTypeId::Previous, HeadTypeId::Induction, HeadTypeId::Copying, HeadTypeId::Rare,
              HeadTypeId::Diffuse, HeadTypeId::NameMover, HeadTypeId::CopyingWeights,
              HeadTypeId::InductionWeights}) {
            const HeadScores one = require(scoreTypes(model, {&id, 1}, kFew));
            QCOMPARE(one.has(id), all.has(id));
            QCOMPARE(one.types.size(), std::size_t{all.has(id) ? 1U : 0U});
            QCOMPARE(one.unread.contains(id), all.unread.contains(id));
            QCOMPARE(one.unread.size(), std::size_t{all.unread.contains(id) ? 1U : 0U});
            if (one.has(id)) {
                QVERIFY2(std::ranges::equal(numbersOf(one, id), numbersOf(all, id), areEqual),
                         headType(id).key.data());
                QVERIFY(one.measuredOn(id) == all.measuredOn(id));
            }
        }
    }

    void noTypesAreAll() {
        const auto model = loadSample("attn-only-2l");
        QVERIFY(require(scoreTypes(model, {}, kFew)).types ==
                require(scoreHeads(model, kFew)).types);
    }

    /// What is read from weights runs nothing, and the other way round.
    void onlyWhatIsNeededIsDone() {
        const auto model = loadSample("attn-only-2l");
        QVERIFY((stagesOf(model, {HeadTypeId::CopyingWeights}) ==
                 std::set<std::string>{"reading weights"}));
        const auto all = stagesOf(model, {});
        QVERIFY(all.contains("reading weights"));
        QVERIFY(all.size() > 1);
        for (const HeadTypeId runs : {HeadTypeId::Induction, HeadTypeId::Rare}) {
            const auto stages = stagesOf(model, {runs});
            QVERIFY(!stages.empty());
            for (const std::string& stage : stages)
                QVERIFY2(stage != "reading weights", headType(runs).key.data());
        }
    }

    void keysNameTypesAndWhatTheirLabelsAskFor() {
        const std::vector<std::string> keys{"induction-weights", "sink", "induction", "sink", "?"};
        const std::vector<HeadTypeId> types{HeadTypeId::InductionWeights, HeadTypeId::Induction,
                                            HeadTypeId::Sink};
        QVERIFY(typesOf(keys) == types);
        QVERIFY(typesOf({}).empty());
    }

    void ofWeightsAloneOnlyTheAskedAreSaidToBeMissing() {
        const auto model = loadSample("bert-mini-4l");
        const HeadTypeId asked[] = {HeadTypeId::Previous, HeadTypeId::CopyingWeights};
        const HeadScores scores = require(scoreTypes(model, asked, kFew));
        QVERIFY(scores.types == std::vector{HeadTypeId::Previous});
        QVERIFY(scores.unread.size() == 1 && scores.unread.contains(HeadTypeId::CopyingWeights));
    }
};

const headscope::test::TestRegistration<TestAskedTypes> registration;

} // namespace test_asked_types

#include "test_asked_types.moc"

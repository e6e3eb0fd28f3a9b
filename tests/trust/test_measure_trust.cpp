// Labels of planted heads, each with one way to be right or wrong, and of the hand-made circuit.

#include "core/datasets/bundled.h"
#include "core/heads/score_heads.h"
#include "core/heads/sequences.h"
#include "core/trust/measure_trust.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

namespace test_measure_trust {

using namespace headscope;
using namespace headscope::test;
using enum HeadTypeId;
using enum TrustPart;

namespace {

constexpr std::size_t kTokens = 200;

// Heads of one layer that look at the tokens of their own kind, earlier or their own.
const LayerHead kSuppressor{0, 0}; ///< lowers the logit of the token, which never comes next
const LayerHead kIdle{0, 1};       ///< writes nothing
const LayerHead kPromoter{0, 2};   ///< raises the logit of the token
const LayerHead kLowerHalf{0, 3};  ///< knows the lower half of the vocabulary alone
const LayerHead kEvenIds{0, 4};    ///< knows every second token

/// Queries and keys of the tokens that a head knows are equal where the tokens are.
template <class Knows>
void plant(Model& model, LayerHead head, float writes, Knows knows) {
    constexpr float kSharp = 4.0f;
    for (std::size_t token = 0; token < kTokens; ++token) {
        if (knows(token)) {
            queryWeights(model, head)(token, token) = kSharp;
            keyWeights(model, head)(token, token) = kSharp;
        }
        valueWeights(model, head)(token, token) = 1.0f;
        outputWeights(model, head)(token, token) = writes;
    }
}

std::shared_ptr<const Model> plantedModel() {
    Model model = bareModel(
        {.n_layers = 1, .n_heads = 5, .n_kv_heads = 5, .d_head = kTokens, .d_model = kTokens});
    model.name = "planted";
    const auto all = [](std::size_t) { return true; };
    plant(model, kSuppressor, -3.0f, all);
    plant(model, kIdle, 0.0f, all);
    plant(model, kPromoter, 3.0f, all);
    plant(model, kLowerHalf, 0.1f, [](std::size_t token) { return token < kTokens / 2; });
    plant(model, kEvenIds, 0.1f, [](std::size_t token) { return token % 2 == 0; });
    return std::make_shared<const Model>(std::move(model));
}

const LabelTrust& labelOf(const ModelTrust& trust, LayerHead head, HeadTypeId type) {
    const auto found = std::ranges::find_if(trust.labels, [&](const LabelTrust& label) {
        return label.score.head == head && label.score.type == type;
    });
    if (found == trust.labels.end())
        qFatal("head %s has no such label", headText(head).c_str());
    return *found;
}

} // namespace

class TestMeasureTrust : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        model_ = plantedModel();
        scores_ = require(scoreHeads(model_));
        circuit_ = loadSample("induction-circuit");
    }

    void causeCorrelateAndInterferer() {
        const ModelTrust trust = require(
            measureTrust(model_, scores_, {},
                         {.types = {Duplicate}, .other_input = false, .most_sequences = 10}));
        const LabelTrust& cause = labelOf(trust, kSuppressor, Duplicate);
        QVERIFY2(cause.word() == TrustWord::Cause, trustSentence(cause, Needed).c_str());
        const LabelTrust& correlate = labelOf(trust, kIdle, Duplicate);
        QVERIFY(correlate.word() == TrustWord::Correlate);
        QVERIFY(correlate.grade(Writes) == Grade::Failed);
        QVERIFY(correlate.grade(Needed) == Grade::Failed);
        QVERIFY(!correlate.beside); // what writes nothing stands in for nothing
        const LabelTrust& interferer = labelOf(trust, kPromoter, Duplicate);
        QVERIFY2(interferer.word() == TrustWord::Interferer,
                 trustSentence(interferer, Needed).c_str());
        for (const LabelTrust& label : trust.labels) {
            QVERIFY(label.score.type == Duplicate);
            QVERIFY(label.grade(Transfers) == Grade::Untested && label.sets.empty());
        }
    }

    void onlyWhatHoldsOnAllInputTransfers() {
        Thresholds thresholds;
        thresholds.set(Duplicate, 0.2);
        const ModelTrust trust = require(
            measureTrust(model_, scores_, thresholds, {.types = {Duplicate}, .effects = false}));
        const LabelTrust& everywhere = labelOf(trust, kSuppressor, Duplicate);
        QVERIFY(everywhere.grade(Transfers) == Grade::Passed);
        QVERIFY(everywhere.grade(Stable) == Grade::Passed);
        QVERIFY(everywhere.word() == TrustWord::Untested);
        const LabelTrust& lower = labelOf(trust, kLowerHalf, Duplicate);
        QVERIFY2(lower.grade(Transfers) == Grade::Failed, trustSentence(lower, Transfers).c_str());
        QCOMPARE(lower.leastSet()->set, std::string("tokens of the upper half of the vocabulary"));
        QVERIFY(lower.leastSet()->score < 0.05);
        // Without a tokenizer there are no tokens of a text.
        QCOMPARE(lower.sets.size(), std::size_t{4});
        std::vector<std::string> names;
        for (const SetScore& set : lower.sets)
            names.push_back(set.set);
        QCOMPARE(names,
                 (std::vector<std::string>{"tokens of the lower half of the vocabulary",
                                           "tokens of the upper half of the vocabulary",
                                           "repeats of 20 tokens", "repeats of 100 tokens"}));
    }

    void whatTheDrawDecidesIsNotStable() {
        Thresholds thresholds;
        thresholds.set(Duplicate, scores_.at(Duplicate, kEvenIds).score);
        const ModelTrust trust = require(
            measureTrust(model_, scores_, thresholds, {.types = {Duplicate}, .effects = false}));
        const LabelTrust& drawn = labelOf(trust, kEvenIds, Duplicate);
        QVERIFY2(drawn.grade(Stable) == Grade::Failed, trustSentence(drawn, Stable).c_str());
        QVERIFY(drawn.stable_share > 0.02 && drawn.stable_share < 0.9);
        QCOMPARE(drawn.resamples, std::size_t{900});
        // Three seeds of three lengths are nine readings; resamples of each say more.
        const double ninths = 9.0 * drawn.stable_share;
        QVERIFY2(std::abs(ninths - std::round(ninths)) > 1e-6,
                 trustSentence(drawn, Stable).c_str());
        QVERIFY(labelOf(trust, kSuppressor, Duplicate).grade(Stable) == Grade::Passed);
    }

    void headsOfTheCircuit() {
        const HeadScores scores = require(scoreHeads(circuit_));
        std::size_t published = 0;
        const ModelTrust trust = require(
            measureTrust(circuit_, scores, {}, {}, {}, {}, [&](std::span<const LabelTrust> labels) {
                ++published;
                QVERIFY(!labels.empty());
            }));
        QVERIFY(published > 8); // at first, after each input and each effect
        QVERIFY(labelOf(trust, {0, 0}, Previous).word() == TrustWord::Cause);
        // Two that do the same, of which none costs anything alone.
        for (const LayerHead head : {LayerHead{1, 0}, LayerHead{1, 3}}) {
            const LabelTrust& label = labelOf(trust, head, Induction);
            QVERIFY(label.effect->verdict() == EffectVerdict::None);
            QVERIFY(label.word() == TrustWord::Secondary);
            QVERIFY(label.beside->difference > 1.0);
        }
        QVERIFY(labelOf(trust, {1, 1}, Current).word() == TrustWord::Correlate);
        QVERIFY(labelOf(trust, {0, 1}, Duplicate).grade(Writes) == Grade::Failed);
        QVERIFY(labelOf(trust, {0, 0}, PreviousWeights).grade(Transfers) == Grade::NotAsked);
        for (const LabelTrust& label : trust.labels) // 24 letters are drawn in every order
            if (!headType(label.score.type).from_weights)
                QVERIFY(!std::isnan(label.stable_share));
        QVERIFY(trust.expected_false.labels > 0 && trust.expected_false.count < 1.0);
    }

    void onlyTheseHeads() {
        const HeadScores scores = require(scoreHeads(circuit_));
        const ModelTrust trust = require(measureTrust(
            circuit_, scores, {}, {.heads = {{1, 1}}, .effects = false, .other_input = false}));
        QVERIFY(!trust.labels.empty());
        for (const LabelTrust& label : trust.labels)
            QVERIFY(label.score.head == (LayerHead{1, 1}));
    }

    void theUsersTextIsOneSetMore() {
        const auto model = loadSample("gpt2-mini-6l");
        const std::vector<HeadTypeId> asked{Previous};
        const HeadScores scores = require(scoreTypes(model, asked));
        const auto tested = [&](const std::string& text) {
            return require(measureTrust(model, scores, {}, {.effects = false, .text = text}));
        };
        const ModelTrust with = tested(std::string(bundledStylesText().substr(0, 5000)));
        QVERIFY(!with.labels.empty() && with.notes.empty());
        for (const LabelTrust& label : with.labels) {
            QCOMPARE(label.sets.size(), std::size_t{6});
            QVERIFY(std::ranges::find(label.sets, "tokens of your text", &SetScore::set) !=
                    label.sets.end());
        }
        // Of too few tokens no 50 different ones can be drawn.
        const ModelTrust few = tested("a b");
        QCOMPARE(few.labels.front().sets.size(), std::size_t{5});
        QCOMPARE(few.notes.size(), std::size_t{1});
        QVERIFY2(few.notes.front().starts_with("Not read on tokens of your text: "),
                 few.notes.front().c_str());
        const ModelTrust without = require(measureTrust(
            model_, scores_, {}, {.types = {Duplicate}, .effects = false, .text = "a b"}));
        QCOMPARE(without.notes,
                 std::vector<std::string>{"Not read on your text: this model has no tokenizer."});
    }

    /// The scores came from easier prompts than the model solves of others.
    void inputThatCannotBeReadIsNoted() {
        const auto model = loadSample("attn-only-2l");
        const std::vector<HeadTypeId> asked{NameMover, DuplicateName};
        const HeadScores scores = require(scoreTypes(model, asked));
        const ModelTrust trust = require(measureTrust(model, scores, {}, {.effects = false}));
        QVERIFY(!trust.labels.empty());
        QCOMPARE(trust.notes.size(), std::size_t{1});
        QVERIFY2(trust.notes.front().starts_with("Not tested on other input: attn-only-2l prefers"),
                 trust.notes.front().c_str());
        QVERIFY(trust.labels.front().grade(Transfers) == Grade::Untested);
    }

    void stops() {
        std::stop_source stop;
        stop.request_stop();
        for (const bool effects : {true, false}) {
            const auto trust =
                measureTrust(model_, scores_, {}, {.effects = effects, .other_input = !effects}, {},
                             stop.get_token());
            QVERIFY(!trust);
            QCOMPARE(trust.error().code, ErrorCode::Cancelled);
        }
    }

    void progressGoesForward() {
        const HeadScores scores = require(scoreHeads(circuit_));
        double last = 0.0;
        require(measureTrust(circuit_, scores, {}, {}, [&](double fraction, std::string_view) {
            QVERIFY(fraction >= last - 1e-12 && fraction <= 1.0);
            last = fraction;
        }));
        QCOMPARE(last, 1.0);
    }

private:
    std::shared_ptr<const Model> model_;
    std::shared_ptr<const Model> circuit_;
    HeadScores scores_;
};

const headscope::test::TestRegistration<TestMeasureTrust> registration;

} // namespace test_measure_trust

#include "test_measure_trust.moc"

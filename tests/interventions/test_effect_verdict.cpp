// The word that an effect gets, on made-up figures and on planted heads.

#include "core/base/random.h"
#include "core/engine/engine.h"
#include "core/heads/score_heads.h"
#include "core/heads/sequences.h"
#include "core/interventions/ablation_effect.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace test_effect_verdict {

using namespace headscope;
using headscope::test::addDiagonal;
using headscope::test::bareModel;
using headscope::test::loadSample;
using headscope::test::outputWeights;
using headscope::test::require;
using headscope::test::valueWeights;

namespace {

std::vector<InputSequence> repeats(const Model& model, std::size_t count = 3) {
    return *repeatedRandomSequences(model, {.sequences = count});
}

AblationEffect tested(const std::shared_ptr<const Model>& model,
                      const AblationEffectQuestion& question, std::size_t sequences = 3) {
    const auto result = ablationEffect(model, {repeats(*model, sequences)}, question);
    if (!result)
        qFatal("%s", result.error().message.c_str());
    return *result;
}

constexpr std::size_t kTokens = 16; ///< of the planted network
constexpr std::size_t kUsed = 8;    ///< that its sequences are made of

/// Each of the used tokens once, in eight orders.
std::vector<InputSequence> shuffled() {
    Random random(3);
    std::vector<InputSequence> sequences(kUsed);
    for (InputSequence& sequence : sequences) {
        sequence.ids.resize(kUsed);
        std::iota(sequence.ids.begin(), sequence.ids.end(), 0);
        for (std::size_t i = kUsed; i > 1; --i)
            std::swap(sequence.ids[i - 1], sequence.ids[random.below(i)]);
    }
    return sequences;
}

/// What a head writes, times a factor.
void scaleOutput(Model& model, LayerHead head, float factor) {
    AttentionWeights& attn = model.weights.layers[head.layer].attn;
    attn.W_O = WeightTensor(attn.W_O.widened()); // of its own
    MutableMatrixView output = outputWeights(model, head);
    for (std::size_t row = 0; row < output.rows; ++row)
        for (std::size_t col = 0; col < output.cols; ++col)
            output(row, col) *= factor;
}

} // namespace

class TestEffectVerdict : public QObject {
    Q_OBJECT

private slots:
    // One of four others costs more, another as much as the interval's end.
    void whatIsNeededCostsMoreThanOthers() {
        AblationEffect result;
        result.sequences = 3;
        result.difference = 1.25;
        result.interval = {1.0, 1.5};
        result.others = {{{4, 0}, 0.1}, {{4, 2}, 0.2}, {{4, 3}, 1.1}, {{4, 4}, 2.0}};
        QCOMPARE(result.verdict(), EffectVerdict::Secondary);
        QVERIFY(!result.isDecided());
        result.others[2].difference = 1.6;
        QVERIFY(result.isDecided());
        result.others[2].difference = 0.9;
        QCOMPARE(result.verdict(), EffectVerdict::Needed);
    }

    // 2.9e-6 nats are clear enough, and nothing.
    void whatIsLessThanTheLeastIsNoEffect() {
        AblationEffect result;
        result.sequences = 10;
        result.difference = 2.9e-6;
        result.interval = {2.1e-6, 3.7e-6};
        result.others = {{{4, 0}, -1e-6}, {{4, 2}, 1e-7}};
        QCOMPARE(result.verdict(), EffectVerdict::None);
        QCOMPARE(ablationEffectText(result),
                 std::string("No effect found: ablating it by mean changes the loss by 0.000 nats "
                             "(95 % 0.000 to 0.000, 10 sequences); less than 0.01 nats is not "
                             "counted."));
        result.least = 1e-6;
        QCOMPARE(result.verdict(), EffectVerdict::Needed);
        result.interval = {-0.5, 0.5};
        QCOMPARE(result.verdict(), EffectVerdict::Undecided);
        result.interval = {-3.0, -2.2};
        result.difference = -2.6;
        QCOMPARE(result.verdict(), EffectVerdict::Interferes);
        QVERIFY(ablationEffectText(result).starts_with(
            "Interferes: ablating it by mean lowers the loss by 2.600 nats"));
    }

    void theLeastEffectGrowsWithTheLoss() {
        QCOMPARE(leastEffect(0.4), 0.01);
        QCOMPARE(leastEffect(-5.0), 0.05);
        QCOMPARE(leastEffect(5.0, 0.002), 0.002);
        QVERIFY(effectSide({0.0, 0.0}, 0.0) == EffectSide::Within); // an idle head, whatever counts
        QVERIFY(effectSide({1e-9, 1e-8}, 0.0) == EffectSide::Above);
        QVERIFY(effectSide({-1e-8, -1e-9}, 0.0) == EffectSide::Below);
        QVERIFY(effectSide({-1e-8, 1e-9}, 0.0) == EffectSide::Unclear);
    }

    void signsOfReplacementsAreCompared() {
        AblationEffect result;
        result.sequences = 10;
        result.difference = 1.0;
        result.interval = {0.9, 1.1};
        result.replaced = {{{AblationKind::Zero}, 10, 0.5, {0.4, 0.6}},
                           {{AblationKind::Resample}, 10, -0.4, {-1.0, 0.2}}};
        QVERIFY(!result.signsDiffer() && !result.replacementsDiffer()); // one of them is unclear
        result.replaced[0] = {{AblationKind::Zero}, 10, -0.5, {-0.6, -0.4}};
        QVERIFY(result.signsDiffer() && result.replacementsDiffer());
        QVERIFY2(ablationEffectText(result).ends_with(
                     " The sign depends on what replaces it: by mean it rises by 1.000 nats, by "
                     "zero it falls by 0.500 nats."),
                 ablationEffectText(result).c_str());
        result.interval = {-0.001, 0.001};
        QVERIFY(!result.signsDiffer() && result.replacementsDiffer());
    }

    // At the edge of the least effect no interval is on one side of it, however many are read.
    void sequencesAreAddedUntilItIsClear() {
        const auto model = loadSample("attn-only-2l");
        const auto some = require(repeatedRandomSequences(*model, {.sequences = 16, .period = 10}));
        const auto measured = [&](std::size_t first, std::optional<double> least) {
            return require(ablationEffect(model, {some, first},
                                          {.head = {0, 7}, .others = 0, .least_effect = least}));
        };
        const AblationEffect clear = measured(4, std::nullopt);
        QVERIFY2(clear.isDecided() && clear.sequences < 16, ablationEffectText(clear).c_str());
        const AblationEffect edge = measured(4, clear.difference);
        QCOMPARE(edge.sequences, std::size_t{16});
        QCOMPARE(edge.verdict(), EffectVerdict::Undecided);
        QVERIFY(edge.interval.high - edge.interval.low < clear.interval.high - clear.interval.low);
        QCOMPARE(measured(4, std::nullopt).difference, clear.difference); // the same each time
        // All at once are looked at but once, so that the interval is closer.
        const AblationEffect once = measured(0, std::nullopt);
        QCOMPARE(once.difference, edge.difference);
        QVERIFY(once.interval.low > edge.interval.low);
    }

    // W_O of 0.3 is 0.
    void anIdleHeadHasNoEffect() {
        const AblationEffect result =
            tested(loadSample("induction-circuit"), {.head = {0, 3}, .others = 3});
        QCOMPARE(result.verdict(), EffectVerdict::None);
        QVERIFY(!result.replacementsDiffer());
    }

    // One of the twins takes away half of what the other writes.
    void aHeadThatSpoilsTheAnswerInterferes() {
        Model model = *loadSample("induction-circuit");
        scaleOutput(model, {1, 3}, -0.5f);
        scaleOutput(model, {1, 0}, 0.5f);
        const AblationEffect result =
            tested(std::make_shared<const Model>(std::move(model)),
                   {.head = {1, 3}, .kind = AblationKind::Zero, .others = 3});
        QVERIFY2(result.verdict() == EffectVerdict::Interferes, ablationEffectText(result).c_str());
    }

    // It writes the same at all positions, which helps, and what it reads, which does not.
    void zeroAndMeanMayDisagree() {
        Model model = bareModel({.d_head = kTokens, .d_model = kTokens});
        addDiagonal(valueWeights(model, {0, 0}), 0, 0);
        MutableMatrixView output = outputWeights(model, {0, 0});
        for (std::size_t read = 0; read < kUsed; ++read)
            for (std::size_t written = 0; written < kUsed; ++written)
                output(read, written) = read == written ? 3.0f : 2.0f;
        const auto planted = std::make_shared<const Model>(std::move(model));
        AblationEffectQuestion question{.head = {0, 0}, .kind = AblationKind::Zero};
        const AblationEffect zero = require(ablationEffect(planted, {shuffled()}, question));
        QVERIFY2(zero.difference > zero.least, ablationEffectText(zero).c_str());
        QVERIFY2(zero.signsDiffer(), ablationEffectText(zero).c_str());
        QVERIFY2(ablationEffectText(zero).find("The sign depends on what replaces it: by zero it "
                                               "rises by ") != std::string::npos,
                 ablationEffectText(zero).c_str());
        QVERIFY(zero.falling().front().by.kind == AblationKind::Mean);
        question.kind = AblationKind::Mean;
        const AblationEffect mean = require(ablationEffect(planted, {shuffled()}, question));
        QVERIFY(mean.verdict() == EffectVerdict::Interferes && mean.signsDiffer());
    }

    void replacementsAreMeasuredToo() {
        const auto model = loadSample("attn-only-2l");
        const AblationEffect result = tested(model, {.head = {0, 7}, .others = 1});
        QCOMPARE(result.replaced.size(), std::size_t{2});
        const double zero = tested(model, {.head = {0, 7}, .kind = AblationKind::Zero}).difference;
        QVERIFY(result.replaced[0].by.kind == AblationKind::Zero);
        QVERIFY(std::abs(result.replaced[0].difference - zero) < 1e-6);
        QVERIFY(result.replaced[1].by.kind == AblationKind::Resample);
        QCOMPARE(result.replaced[1].sequences, std::size_t{3});
    }

    void eachInputOfTheLabelsIsAsked() {
        const auto model = loadSample("induction-circuit");
        const auto scores = *scoreHeads(model, {.sequences = 4});
        const auto all = labels(scores, {1, 1}, {});
        const auto on_sentences = [](HeadTypeId label) {
            return headType(label).input == InputKind::Sentences;
        };
        QVERIFY(std::ranges::any_of(all, on_sentences));
        const auto questions = effectQuestions(scores, {1, 1});
        QCOMPARE(questions.size(), std::size_t{2});
        QVERIFY(questions[0].input == InputKind::Repeats);
        QVERIFY(std::ranges::none_of(questions[0].labels, on_sentences));
        QVERIFY(questions[1].input == InputKind::Sentences);
        QVERIFY(std::ranges::all_of(questions[1].labels, on_sentences));
        QCOMPARE(questions[0].labels.size() + questions[1].labels.size(), all.size());
        // No head that shares a label is an other. How attention is spread, and what weights say,
        // counts only where there is nothing else.
        const auto is_telling = [](HeadTypeId label) {
            const TypeGroup group = headType(label).group;
            return group != TypeGroup::Weights && group != TypeGroup::Spread;
        };
        for (const AblationEffectQuestion& question : questions) {
            const bool tells = std::ranges::any_of(question.labels, is_telling);
            for (const LayerHead other : scores.heads) {
                const auto theirs = labels(scores, other, {});
                const bool shares = std::ranges::any_of(theirs, [&](HeadTypeId label) {
                    return (!tells || is_telling(label)) &&
                           std::ranges::find(question.labels, label) != question.labels.end();
                });
                QCOMPARE(std::ranges::find(question.same_type, other) != question.same_type.end(),
                         shares && other != (LayerHead{1, 1}));
            }
        }
    }
};

const headscope::test::TestRegistration<TestEffectVerdict> registration;

} // namespace test_effect_verdict

#include "test_effect_verdict.moc"

// On the hand-built circuit, where it is known what each head is worth, and on trained models.

#include "core/base/random.h"
#include "core/engine/engine.h"
#include "core/export/table_files.h"
#include "core/heads/score_heads.h"
#include "core/heads/sequences.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/sweep.h"
#include "core/interventions/tables.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace test_ablation_effect {

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

class TestAblationEffect : public QObject {
    Q_OBJECT

private slots:
    // Head 0.0 finds the previous token for both induction heads: without it a repeat is unknown,
    // and each token costs ln 28.
    void theOnlyPreviousHeadMatters() {
        const auto model = loadSample("induction-circuit");
        const AblationEffect result =
            tested(model, {.head = {0, 0}, .kind = AblationKind::Zero, .others = 5});
        QCOMPARE(result.measure, EffectMeasure::SecondCopyLoss);
        QVERIFY(result.full < 1e-3);
        QVERIFY(result.difference > 1.0);
        QCOMPARE(result.verdict(), EffectVerdict::Needed);
        QCOMPARE(result.above(), std::size_t{5});
    }

    // Head 1.3 does what 1.0 does.
    void aHeadWithABackupDoesNot() {
        const auto model = loadSample("induction-circuit");
        const AblationEffectQuestion question{
            .head = {1, 0}, .kind = AblationKind::Zero, .others = 5};
        const AblationEffect result = tested(model, question);
        QVERIFY(std::abs(result.difference) < 1e-3);
        QCOMPARE(result.verdict(), EffectVerdict::None);
        QVERIFY2(ablationEffectText(result).starts_with("No effect found: "),
                 ablationEffectText(result).c_str());
    }

    // Either of the twins costs all of it once the other is ablated; none stands in for 0.0.
    void backupsAreNamed() {
        const auto model = loadSample("induction-circuit");
        AblationEffectQuestion question{.head = {1, 0}, .kind = AblationKind::Zero, .others = 1};
        question.backups = true;
        const AblationEffect twin = tested(model, question);
        QCOMPARE(twin.backups.size(), std::size_t{1});
        QCOMPARE(twin.backups[0].head, (LayerHead{1, 3}));
        QVERIFY(std::abs(twin.backups[0].alone) < 1e-3);
        QVERIFY(twin.backups[0].growth > 3.0);
        QCOMPARE(twin.backups_tried, std::size_t{3});
        QVERIFY2(ablationEffectText(twin).find("Backed up by 1.3 (+") != std::string::npos,
                 ablationEffectText(twin).c_str());
        question.head = {0, 0};
        const AblationEffect alone = tested(model, question);
        QVERIFY(alone.backups.empty());
        QVERIFY(ablationEffectText(alone).find("No backup found: of 7 heads") != std::string::npos);
    }

    // One sequence at a time, and a mean: the same numbers as one sweep by hand.
    void equalsASweep() {
        const auto model = loadSample("attn-only-2l");
        const auto sequences = repeats(*model, 1);
        const AblationEffect result =
            tested(model, {.head = {1, 3}, .kind = AblationKind::Mean}, 1);
        SweepQuestion sweep;
        sweep.prompts = {sequences[0].ids};
        sweep.units = {{{1, 3}}};
        sweep.kind = AblationKind::Mean;
        const std::size_t period = *sequences[0].period;
        for (std::size_t q = 1 + period; q + 1 < sequences[0].ids.size(); ++q)
            sweep.metric.targets.push_back({q, sequences[0].ids[q + 1]});
        const auto swept = sweepHeads(model, sweep);
        QVERIFY2(swept, swept ? "" : swept.error().message.c_str());
        QVERIFY(std::abs(result.difference - swept->difference(0)) <= 1e-6);
        // A single sequence has no interval, and decides nothing.
        QVERIFY(std::isnan(result.interval.low));
        QCOMPARE(result.verdict(), EffectVerdict::Undecided);
    }

    void othersAreNearAndOfOtherTypes() {
        const auto model = loadSample("gpt2-mini-6l");
        const std::vector<LayerHead> same{{4, 2}, {4, 5}, {3, 5}};
        const AblationEffect result = tested(model, {.head = {4, 1}, .same_type = same}, 1);
        QCOMPARE(result.others.size(), std::size_t{10});
        std::size_t own_layer = 0;
        for (const AblationEffect::Other& other : result.others) {
            QVERIFY(std::ranges::find(same, other.head) == same.end());
            QVERIFY((other.head != LayerHead{4, 1}));
            QVERIFY(other.head.layer >= 3 && other.head.layer <= 5);
            own_layer += other.head.layer == 4 ? 1 : 0;
        }
        QCOMPARE(own_layer, std::size_t{5}); // all that layer 4 has left
        QVERIFY(std::ranges::is_sorted(result.others, {}, &AblationEffect::Other::difference));
        const AblationEffect again = tested(model, {.head = {4, 1}, .same_type = same}, 1);
        for (std::size_t i = 0; i < 10; ++i)
            QVERIFY(again.others[i].head == result.others[i].head);
    }

    void othersAreDrawnBySeed() {
        const auto model = loadSample("gpt2-mini-6l");
        std::set<LayerHead> drawn;
        for (const std::uint64_t seed : {1u, 2u, 3u})
            drawn.insert(
                tested(model, {.head = {4, 1}, .others = 1, .seed = seed}, 1).others[0].head);
        QVERIFY(drawn.size() > 1);
    }

    void inductionHeadsOfATrainedModelMatter() {
        const auto model = loadSample("attn-only-2l");
        const auto scores = *scoreHeads(model);
        const LayerHead head{0, 7}; // previous token
        const AblationEffect result = tested(model, effectQuestion(scores, head), 5);
        QVERIFY2(result.verdict() == EffectVerdict::Needed, ablationEffectText(result).c_str());
        QVERIFY(result.above() >= 8); // the induction heads of the next layer cost more
        QVERIFY(result.interval.low < result.difference &&
                result.difference < result.interval.high);
    }

    void resampleAndPatternPreserving() {
        const auto model = loadSample("attn-only-2l");
        const double zero = tested(model, {.head = {0, 7}, .kind = AblationKind::Zero}).difference;
        AblationEffectQuestion frozen{.head = {0, 7}, .kind = AblationKind::Zero};
        frozen.preserve_patterns = true;
        QVERIFY(tested(model, frozen).difference < zero); // what it is worth lies in later patterns
        const double other =
            tested(model, {.head = {0, 7}, .kind = AblationKind::Resample}).difference;
        QVERIFY(std::isfinite(other) && other != zero);
    }

    void bidirectionalModelsAreJudgedByKl() {
        const auto model = loadSample("bert-mini-4l");
        const AblationEffect result = tested(model, {.head = {2, 4}}, 1);
        QCOMPARE(result.measure, EffectMeasure::Kl);
        QCOMPARE(result.full, 0.0);
        QVERIFY(result.difference > 0.0);
    }

    /// More is worse, as of a loss: without the head the wrong name comes nearer.
    void namesAreJudgedByTheirLogits() {
        const auto model = loadSample("attn-only-2l");
        auto sequences = effectSequences(model, InputKind::Names);
        QVERIFY(sequences);
        QCOMPARE(sequences->first, kNamePrompts);
        QCOMPARE(sequences->sequences.size(), std::size_t{80});
        sequences->sequences.resize(kNamePrompts);
        const auto result = ablationEffect(model, *sequences, {.head = {1, 5}, .others = 2});
        QVERIFY(result);
        QCOMPARE(result->measure, EffectMeasure::NameLogits);
        double expected = 0.0;
        for (const InputSequence& sequence : sequences->sequences) {
            const auto run = runModel(model, sequence.ids);
            QVERIFY(run);
            const std::size_t end = sequence.names->end;
            const auto logit = [&](TokenId token) {
                return static_cast<double>((*run)->logits(end, static_cast<std::size_t>(token)));
            };
            expected +=
                (logit(sequence.names->s_token) - logit(sequence.names->io_token)) / kNamePrompts;
        }
        QVERIFY(std::abs(result->full - expected) < 1e-4);
    }

    void whatAModelCannotReadIsTestedOnRepeats() {
        const auto model = loadSample("attn-only-2l");
        QVERIFY(effectSequences(model, InputKind::Weights)->sequences.front().period);
        QVERIFY(effectSequences(model, InputKind::Repeats)->sequences.front().period);
        const auto sentences = effectSequences(loadSample("gpt2-mini-6l"), InputKind::Sentences);
        QVERIFY(sentences && sentences->sequences.front().annotation);
        QVERIFY(effectSequences(loadSample("bert-mini-4l"), InputKind::Names)
                    ->sequences.front()
                    .period);
    }

    void aQuestionKnowsTypesOfTheHead() {
        const auto circuit = loadSample("induction-circuit");
        const auto scores = *scoreHeads(circuit, {.sequences = 1});
        const AblationEffectQuestion induction = effectQuestion(scores, {1, 0});
        QCOMPARE(induction.head, (LayerHead{1, 0}));
        QCOMPARE(induction.input, InputKind::Repeats);
        QVERIFY(std::ranges::find(induction.same_type, LayerHead{1, 3}) !=
                induction.same_type.end());
        QCOMPARE(induction.labels, labels(scores, {1, 0}, {}));
        Thresholds none;
        for (const HeadType& type : headTypes())
            none.set(type.id, 2.0);
        QVERIFY(effectQuestion(scores, {1, 0}, none).same_type.empty());
    }

    void eachHeadIsAblatedOnItsProbe() {
        const auto model = loadSample("gpt2-mini-6l");
        const std::vector<AblationEffectQuestion> questions{
            {.head = {4, 1}, .others = 1, .most_sequences = 2},
            {.head = {2, 4}, .input = InputKind::Sentences, .others = 1, .most_sequences = 4}};
        std::vector<double> fractions;
        const auto effects = ablationEffects(
            model, questions, {}, {.sequences = 2},
            [&](double fraction, std::string_view) { fractions.push_back(fraction); });
        QVERIFY(effects);
        QCOMPARE(effects->size(), std::size_t{2});
        QCOMPARE((*effects)[0].question.head, (LayerHead{4, 1}));
        QCOMPARE((*effects)[0].measure, EffectMeasure::SecondCopyLoss);
        QCOMPARE((*effects)[0].sequences, std::size_t{2});
        QCOMPARE((*effects)[1].question.head, (LayerHead{2, 4}));
        QCOMPARE((*effects)[1].measure, EffectMeasure::Loss);
        QVERIFY(std::ranges::is_sorted(fractions));
        QVERIFY(std::ranges::find(fractions, 0.5) != fractions.end()); // the second head begins
        const auto given = ablationEffects(model, questions, repeats(*model, 1));
        QVERIFY(given);
        QCOMPARE((*given)[1].measure, EffectMeasure::SecondCopyLoss);
        QCOMPARE((*given)[1].difference,
                 ablationEffect(model, {repeats(*model, 1)}, questions[1])->difference);
    }

    void refusals() {
        const auto model = loadSample("attn-only-2l");
        QVERIFY(!ablationEffect(model, {}, {}));
        QVERIFY(!ablationEffect(model, {repeats(*model)}, {.head = {9, 9}}));
        QVERIFY(!ablationEffect(model, {repeats(*model, 1)},
                                {.head = {0, 7}, .kind = AblationKind::Resample}));
        QVERIFY(!ablationEffect(model, {repeats(*model)},
                                {.head = {0, 7}, .least_effect = std::optional(-0.1)}));
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = ablationEffect(model, {repeats(*model)}, {}, {}, stop.get_token());
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
    }

    void tables() {
        AblationEffect result;
        result.question.head = {4, 1};
        result.measure = EffectMeasure::SecondCopyLoss;
        result.sequences = 3;
        result.full = 0.5;
        result.difference = 1.25;
        result.interval = {1.0, 1.5};
        result.others = {{{4, 0}, -0.25}, {{4, 2}, 0.75}};
        result.question.labels = {HeadTypeId::Induction};
        Provenance provenance;
        provenance.model_name = "m";
        provenance.model_sha256 = "abc";
        provenance.app_version = "0.1.0";
        provenance.ablation = "mean";
        const auto csv = tableCsv(effectTable({&result, 1}, provenance));
        const std::string origin = ",m,abc,0.1.0\n";
        const std::string of = ",0.5,loss on the second copy,mean,3,induction,";
        QCOMPARE(csv, "head,tested,difference,low,high,full,what,ablation,sequences,labels,verdict,"
                      "model,model_sha256,app_version\n4.1,yes,1.25,1,1.5" +
                          of + "needed" + origin + "4.2,no,0.75,," + of + origin +
                          "4.0,no,-0.25,," + of + origin);
        const auto json = nlohmann::json::parse(tableJson(effectTable({&result, 1}, provenance)));
        QVERIFY(json["head"] == "4.1" && json["matters"] == true && json["above"] == 2);
        QVERIFY(json["verdict"] == "needed" && json["least_effect"] == 0.01);
        QVERIFY(json["labels"] == nlohmann::json{"induction"} && json["backups"].is_null());
        QVERIFY(json["others"][0] == (nlohmann::json{{"head", "4.0"}, {"difference", -0.25}}));
        QVERIFY(json["effects"].size() == 1 && json["effects"][0]["difference"] == 1.25);
        QCOMPARE(
            ablationEffectText(result),
            std::string("Needed: ablating it by mean raises the loss on the second copy by "
                        "1.250 nats (95 % 1.000 to 1.500, 3 sequences), more than 2 of 2 other "
                        "heads near it."));
    }

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
        const auto all = labels(scores, {1, 0}, {});
        const auto on_sentences = [](HeadTypeId label) {
            return headType(label).input == InputKind::Sentences;
        };
        QVERIFY(std::ranges::any_of(all, on_sentences));
        const auto questions = effectQuestions(scores, {1, 0});
        QCOMPARE(questions.size(), std::size_t{2});
        QVERIFY(questions[0].input == InputKind::Repeats);
        QVERIFY(std::ranges::none_of(questions[0].labels, on_sentences));
        QVERIFY(questions[1].input == InputKind::Sentences);
        QVERIFY(std::ranges::all_of(questions[1].labels, on_sentences));
        QCOMPARE(questions[0].labels.size() + questions[1].labels.size(), all.size());
        // No head with one of these labels is an other.
        for (const AblationEffectQuestion& question : questions)
            for (const LayerHead other : scores.heads) {
                const auto theirs = labels(scores, other, {});
                const bool shares = std::ranges::any_of(theirs, [&](HeadTypeId label) {
                    const TypeGroup group = headType(label).group;
                    return group != TypeGroup::Weights && group != TypeGroup::Spread &&
                           std::ranges::find(question.labels, label) != question.labels.end();
                });
                QCOMPARE(std::ranges::find(question.same_type, other) != question.same_type.end(),
                         shares && other != (LayerHead{1, 0}));
            }
    }
};

const headscope::test::TestRegistration<TestAblationEffect> registration;

} // namespace test_ablation_effect

#include "test_ablation_effect.moc"

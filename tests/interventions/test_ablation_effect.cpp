// On the hand-built circuit, where it is known what each head is worth, and on trained models.

#include "core/engine/engine.h"
#include "core/export/table_files.h"
#include "core/heads/score_heads.h"
#include "core/heads/sequences.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/sweep.h"
#include "core/interventions/tables.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace test_ablation_effect {

using namespace headscope;
using headscope::test::loadSample;

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
};

const headscope::test::TestRegistration<TestAblationEffect> registration;

} // namespace test_ablation_effect

#include "test_ablation_effect.moc"

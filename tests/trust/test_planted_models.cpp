// Networks whose weights were written for what their heads do: labels must say that, and nothing
// else. CI looks at two; HEADSCOPE_PLANTED_SEED=7 (tests/trust/run 7) at 32 of all kinds of shapes,
// or at as many as HEADSCOPE_PLANTED_MODELS says.

#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "core/interventions/ablation_effect.h"
#include "core/trust/measure_trust.h"
#include "tests/support/change_basis.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/trust/planted_cases.h"
#include "tests/trust/planted_truth.h"
#include "tests/trust/scorecard.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace test_planted_models {

using namespace headscope;
using namespace headscope::test;

namespace {

using Labels = std::vector<HeadTypeId>;

/// How much is looked at.
struct Extent {
    std::uint64_t seed = 1;
    std::vector<std::size_t> places;        ///< of plantedCase()
    std::size_t scored_again = 1;           ///< the first of these, in other ways
    std::vector<std::size_t> effect_places; ///< where effects are measured, of these
    std::vector<std::size_t> periods;
    std::size_t effects = 0;        ///< heads in each of these
    bool transfer = false;          ///< whether labels are read on other input
    std::size_t coverage_seeds = 0; ///< of ten sequences each, in the first three models
};

/// At least so many that all rows of the table have something.
std::size_t modelsAsked() {
    constexpr std::size_t kFewest = 5;
    bool is_number = false;
    const int asked = qEnvironmentVariableIntValue("HEADSCOPE_PLANTED_MODELS", &is_number);
    return is_number ? std::max(static_cast<std::size_t>(std::max(asked, 0)), kFewest)
                     : 4 * kPlantedKinds;
}

Extent extentOf() {
    bool is_number = false;
    const int seed = qEnvironmentVariableIntValue("HEADSCOPE_PLANTED_SEED", &is_number);
    if (!is_number)
        return {.seed = 1, .places = {0, 4}, .effect_places = {}, .periods = {20}};
    Extent extent{.seed = static_cast<std::uint64_t>(seed),
                  .places = {},
                  .scored_again = modelsAsked(),
                  .effect_places = {0, 4},
                  .periods = {20, 125},
                  .effects = 12,
                  .transfer = true,
                  .coverage_seeds = 60};
    for (std::size_t place = 0; place < extent.scored_again; ++place)
        extent.places.push_back(place);
    return extent;
}

std::vector<HeadTypeId> typesOnRepeats() {
    std::vector<HeadTypeId> types;
    for (const HeadType& type : headTypes())
        if (type.input == InputKind::Repeats)
            types.push_back(type.id);
    return types;
}

std::string text(const Labels& found) {
    std::string all;
    for (const HeadTypeId type : found)
        all += std::string(headType(type).key) + " ";
    return all.empty() ? "none " : all;
}

} // namespace

class TestPlantedModels : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto tokenizer = loadSample("gpt2-mini-6l")->tokenizer;
        for (const std::size_t place : extent_.places) {
            cases_.push_back(plantedCase(place, extent_.seed, tokenizer));
            scores_.push_back(require(scoreHeads(cases_.back().model)));
            shown_.push_back(shownOnBoth(cases_.back(), extent_.seed));
            card_.addLabels(cases_.back(), place, scores_.back(), shown_.back());
        }
    }

    void cleanupTestCase() { std::puts(card_.text().c_str()); }

    void typesAreFound() {
        constexpr std::size_t kFewest = 10;
        QVERIFY(std::ranges::count_if(card_.types, [](const auto& each) {
                    return each.second.found.of > 0;
                }) >= static_cast<std::ptrdiff_t>(kFewest));
        for (const auto& [type, counts] : card_.types)
            QVERIFY2(counts.found.share() >= 0.95, headType(type).key.data());
    }

    void nothingElseIsFound() {
        for (const auto& [type, counts] : card_.types)
            QVERIFY2(counts.false_one.is * 100 < counts.false_one.of || counts.false_one.is == 0,
                     headType(type).key.data());
    }

    void distancesAreNamed() {
        QVERIFY(card_.offsets.of > 0);
        QCOMPARE(card_.offsets.is, card_.offsets.of);
    }

    void headsWithoutOutputWriteNothing() {
        const Scorecard::OfType& counts = card_.types[HeadTypeId::WritesNothing];
        QVERIFY(counts.found.of > 0);
        QCOMPARE(counts.found.is, counts.found.of);
    }

    /// Values divided and W_O multiplied, or both turned, is the same head.
    void labelsAreOfTheFunction() {
        for (std::size_t i = 0; i < extent_.scored_again; ++i) {
            if (cases_[i].shape.n_kv_heads != cases_[i].shape.n_heads)
                continue; // the heads of a group share their values
            Model changed = *cases_[i].model;
            for (const PlantedHead& head : cases_[i].heads)
                changeBasis(changed, head.head, 0.7, head.head.head % 2 == 0 ? 16.0 : 1.0 / 16.0);
            const HeadScores scores =
                require(scoreHeads(std::make_shared<const Model>(std::move(changed))));
            for (const PlantedHead& head : cases_[i].heads)
                compare(i, head.head, labels(scores_[i], head.head, {}),
                        labels(scores, head.head, {}), card_.by_basis, "in another basis");
        }
        QVERIFY(card_.by_basis.of > 0);
        QCOMPARE(card_.by_basis.is, std::size_t{0});
    }

    /// Where what a head does stays, so does its label.
    void labelsStayWithThePeriod() {
        for (std::size_t i = 0; i < extent_.scored_again; ++i) {
            const PerHead<Shown>& usual = shown_[i].repeats;
            for (const std::size_t period : extent_.periods) {
                const HeadScores scores =
                    require(scoreTypes(cases_[i].model, typesOnRepeats(), {.period = period}));
                const PerHead<Shown> shown = shownBy(cases_[i], extent_.seed, period);
                for (const PlantedHead& head : cases_[i].heads) {
                    const auto clear = [&](const HeadScores& of) {
                        return clearLabels(of, head, usual[head.head], shown[head.head]);
                    };
                    compare(i, head.head, clear(scores_[i]), clear(scores), card_.by_period,
                            "with period " + std::to_string(period));
                }
            }
        }
        QVERIFY(card_.by_period.of > 0);
        QCOMPARE(card_.by_period.is, std::size_t{0});
    }

    void whatCostsNothingIsNotNeeded() {
        if (extent_.effect_places.empty())
            QSKIP("HEADSCOPE_PLANTED_SEED asks for it");
        for (const std::size_t i : extent_.effect_places) {
            std::vector<AblationEffectQuestion> questions;
            for (std::size_t place = 0; place < extent_.effects; ++place) {
                const LayerHead head = cases_[i].heads[place].head;
                auto question = effectQuestions(scores_[i], head).front();
                question.others = 4;
                question.most_sequences = 10;
                questions.push_back(std::move(question));
            }
            for (const AblationEffect& effect :
                 require(ablationEffects(cases_[i].model, questions, {})))
                if (std::abs(effect.difference) < 1e-3)
                    card_.needed.add(effect.verdict() == EffectVerdict::Needed);
        }
        QVERIFY(card_.needed.of > 0);
        QCOMPARE(card_.needed.is, std::size_t{0});
    }

    /// A head that does it for one half of the vocabulary alone is told so, and no other is.
    void labelsOfHalfTheVocabularyDoNotTransfer() {
        if (!extent_.transfer)
            QSKIP("HEADSCOPE_PLANTED_SEED asks for it");
        for (std::size_t i = 0; i < cases_.size(); ++i)
            addTransfer(i);
        QVERIFY(card_.not_told.of > 0);
        QCOMPARE(card_.told.is, card_.told.of);
        QVERIFY(card_.not_told.is * 20 <= card_.not_told.of);
    }

    /// Intervals of ten sequences against the means of 400.
    void intervalsHoldTheMean() {
        constexpr std::size_t kModels = 3;
        if (extent_.coverage_seeds == 0)
            QSKIP("HEADSCOPE_PLANTED_SEED asks for it");
        for (std::size_t i = 0; i < kModels; ++i)
            addCoverage(cases_[i]);
        QVERIFY(card_.coverage() >= 0.93 && card_.coverage() <= 0.97);
    }

private:
    /// The types that are read from repeats of which the same is true by both.
    static Labels clearLabels(const HeadScores& scores, const PlantedHead& head, const Shown& a,
                              const Shown& b) {
        Labels found = labels(scores, head.head, {});
        std::erase_if(found, [&](HeadTypeId type) {
            const Truth truth = truthOf(type, head, a);
            return headType(type).input != InputKind::Repeats || truth == Truth::May ||
                   truth != truthOf(type, head, b);
        });
        std::ranges::sort(found);
        return found;
    }

    /// In any order: two may be as strong.
    void compare(std::size_t i, LayerHead head, Labels expected, Labels found, Counted& changed,
                 const std::string& how) {
        std::ranges::sort(expected);
        std::ranges::sort(found);
        changed.add(found != expected);
        if (found != expected)
            card_.wrong.push_back(text(found) + "and not " + text(expected) + how + ": " +
                                  nameOf(cases_[i], extent_.places[i], head));
    }

    /// Whether the label that says what a head looks at is there and clear.
    bool isLabelled(std::size_t i, const PlantedHead& head) const {
        const auto type = typeOfLook(head);
        return type && std::ranges::count(labels(scores_[i], head.head, {}), *type) == 1 &&
               (head.half || truthOf(*type, head, shown_[i].of(*type, head.head)) == Truth::Must);
    }

    void addTransfer(std::size_t i) {
        TrustOptions options{.effects = false};
        for (const PlantedHead& head : cases_[i].heads)
            if (head.half && isLabelled(i, head))
                options.types.push_back(*typeOfLook(head));
        if (options.types.empty())
            return;
        const ModelTrust trust =
            require(measureTrust(cases_[i].model, scores_[i], Thresholds(), options));
        for (const LabelTrust& label : trust.labels) {
            const LayerHead place = label.score.head;
            const PlantedHead& head =
                *std::ranges::find(cases_[i].heads, place, &PlantedHead::head);
            if (typeOfLook(head) != label.score.type || !isLabelled(i, head))
                continue;
            const bool fails = label.grade(TrustPart::Transfers) == Grade::Failed;
            (head.half ? card_.told : card_.not_told).add(fails);
            if (fails != head.half)
                card_.wrong.push_back((fails ? "said not to transfer: " : "said to transfer: ") +
                                      nameOf(cases_[i], extent_.places[i], place));
        }
    }

    void addCoverage(const PlantedCase& planted) {
        const auto scoresOn = [&](std::size_t sequences, std::uint64_t seed) {
            return require(scoreTypes(planted.model, typesOnRepeats(),
                                      {.sequences = sequences, .seed = seed}));
        };
        const HeadScores means = scoresOn(400, extent_.seed + 1000);
        for (std::size_t seed = 0; seed < extent_.coverage_seeds; ++seed) {
            const HeadScores few = scoresOn(10, extent_.seed + 2000 + seed);
            for (std::size_t place = 0; place < few.scores.size(); ++place) {
                constexpr double kMoves = 1e-6; // what is the same on all texts has no interval
                const HeadScore& score = few.scores[place];
                const double mean = means.scores[place].score;
                if (means.scores[place].high - means.scores[place].low > kMoves)
                    card_.covered[score.type].add(score.low <= mean && mean <= score.high);
            }
        }
    }

    const Extent extent_ = extentOf();
    std::vector<PlantedCase> cases_;
    std::vector<HeadScores> scores_;
    std::vector<ShownOnBoth> shown_;
    Scorecard card_;
};

const headscope::test::TestRegistration<TestPlantedModels> registration;

} // namespace test_planted_models

#include "test_planted_models.moc"

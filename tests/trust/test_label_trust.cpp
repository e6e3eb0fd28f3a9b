// Grades and words as they follow from figures, and how they are said.

#include "core/export/table_files.h"
#include "core/trust/label_trust.h"
#include "core/trust/tables.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace test_label_trust {

using namespace headscope;
using enum TrustPart;

namespace {

/// An effect with this interval around `difference`; others cost what is given.
AblationEffect effectOf(Interval interval, std::vector<double> others = {}) {
    AblationEffect effect;
    effect.measure = EffectMeasure::SecondCopyLoss;
    effect.sequences = 10;
    effect.full = 1.0;
    effect.least = 0.01;
    effect.interval = interval;
    effect.difference = (interval.low + interval.high) / 2.0;
    for (const double other : others)
        effect.others.push_back({{0, 1}, other});
    return effect;
}
const AblationEffect kNeeded = effectOf({1.0, 1.2});
const AblationEffect kSecondary = effectOf({1.0, 1.2}, {1.1, 1.1, 1.1});
const AblationEffect kNothing = effectOf({-0.001, 0.001});
const AblationEffect kInterferes = effectOf({-1.2, -1.0});
const AblationEffect kUndecided = effectOf({-0.5, 0.5});

EffectBeside besideOf(Interval interval) {
    EffectBeside beside;
    beside.question = {.head = {1, 0}, .others = {{1, 3}}};
    beside.sequences = 10;
    beside.interval = interval;
    beside.difference = (interval.low + interval.high) / 2.0;
    return beside;
}

SetScore setOf(const char* name, double score, double low, double high) {
    return {name, 10, score, 0.02, low, high};
}

/// A label that has passed all.
LabelTrust passing(HeadTypeId type = HeadTypeId::Induction) {
    LabelTrust label;
    label.score = {
        .head = {1, 0}, .type = type, .score = 0.8, .baseline = 0.02, .low = 0.7, .high = 0.9};
    label.score.control = 0.1;
    label.score.above_control = 0.6;
    label.threshold = 0.3;
    label.output = 0.75;
    label.effect = kNeeded;
    label.sets = {setOf("lower", 0.8, 0.7, 0.9), setOf("upper", 0.5, 0.4, 0.6)};
    label.stable_share = 0.97;
    label.resamples = 900;
    return label;
}

/// A passing label with something changed.
template <class Change>
LabelTrust changed(Change change, HeadTypeId type = HeadTypeId::Induction) {
    LabelTrust label = passing(type);
    change(label);
    return label;
}

} // namespace

class TestLabelTrust : public QObject {
    Q_OBJECT

private slots:
    void aCausePassesAll() {
        const LabelTrust label = passing();
        for (const TrustPart part : trustParts())
            QVERIFY2(label.grade(part) == Grade::Passed, trustPartName(part).data());
        QVERIFY(label.word() == TrustWord::Cause);
        QCOMPARE(trustLine(label),
                 std::string("pattern ● specific ● writes ● needed ● transfers ● stable ●"));
    }

    void patternNeedsThresholdAndBaseline() {
        QVERIFY(changed([](LabelTrust& l) { l.threshold = 0.81; }).grade(Pattern) == Grade::Failed);
        QVERIFY(changed([](LabelTrust& l) { l.score.low = 0.01; }).grade(Pattern) == Grade::Failed);
    }

    void specificIsAboveItsControl() {
        const auto of = [](double control, double above) {
            return changed([=](LabelTrust& l) {
                l.score.control = control;
                l.score.above_control = above;
            });
        };
        QVERIFY(of(0.1, 0.01).grade(Specific) == Grade::Passed);
        QVERIFY(of(0.7, -0.1).grade(Specific) == Grade::Undecided);
        QVERIFY(of(0.7, -0.1).word() == TrustWord::Undecided);
        QVERIFY(of(0.8, -0.1).grade(Specific) == Grade::Failed);
        QVERIFY(of(0.8, -0.1).word() == TrustWord::Correlate); // needed, but not for this
        QVERIFY(of(std::nan(""), std::nan("")).grade(Specific) == Grade::Untested);
        QVERIFY(of(std::nan(""), std::nan("")).word() == TrustWord::Cause);
        QVERIFY(passing(HeadTypeId::Local).grade(Specific) == Grade::NotAsked);
    }

    void whatWritesNothingIsNoCause() {
        const LabelTrust label = changed([](LabelTrust& l) { l.writes_nothing = true; });
        QVERIFY(label.grade(Writes) == Grade::Failed);
        QVERIFY(label.word() == TrustWord::Correlate);
        QCOMPARE(trustSentence(label, Writes),
                 std::string("It writes nothing, wherever it looks."));
        const LabelTrust unknown = changed([](LabelTrust& l) { l.output = std::nan(""); });
        QVERIFY(unknown.grade(Writes) == Grade::Untested);
    }

    void neededFollowsTheVerdict() {
        const auto with = [](std::optional<AblationEffect> effect) {
            return changed([&](LabelTrust& l) { l.effect = effect; });
        };
        QVERIFY(with(kSecondary).grade(Needed) == Grade::Passed);
        QVERIFY(with(kSecondary).word() == TrustWord::Secondary);
        QVERIFY(with(kNothing).grade(Needed) == Grade::Failed);
        QVERIFY(with(kNothing).word() == TrustWord::Correlate);
        QVERIFY(with(kInterferes).grade(Needed) == Grade::Failed);
        QVERIFY(with(kInterferes).word() == TrustWord::Interferer);
        QVERIFY(with(kUndecided).grade(Needed) == Grade::Undecided);
        QVERIFY(with(kUndecided).word() == TrustWord::Undecided);
        QVERIFY(with({}).grade(Needed) == Grade::Untested);
        QVERIFY(with({}).word() == TrustWord::Untested);
    }

    void headsThatOthersStandInForAreSecondary() {
        const auto with = [](Interval interval) {
            return changed([&](LabelTrust& l) {
                l.effect = kNothing;
                l.beside = besideOf(interval);
            });
        };
        QVERIFY(with({2.0, 2.2}).grade(Needed) == Grade::Passed);
        QVERIFY(with({2.0, 2.2}).word() == TrustWord::Secondary);
        QVERIFY(with({0.0, 2.2}).word() == TrustWord::Correlate);
        QVERIFY2(
            trustSentence(with({2.0, 2.2}), Needed)
                .ends_with("Where 1.3 is ablated, too, ablating it raises the loss by 2.100 "
                           "nats (95 % 2.000 to 2.200, 10 sequences), so 1.3 makes up for it."),
            trustSentence(with({2.0, 2.2}), Needed).c_str());
    }

    void whatClaimsNoCauseIsADescription() {
        for (const HeadTypeId type :
             {HeadTypeId::Local, HeadTypeId::Copying, HeadTypeId::PreviousWeights, HeadTypeId::Sink,
              HeadTypeId::Dormant, HeadTypeId::WritesNothing})
            for (const auto& effect : {kNeeded, kInterferes, kNothing})
                QVERIFY(changed([&](LabelTrust& l) { l.effect = effect; }, type).word() ==
                        TrustWord::Description);
    }

    void transfersWhereItHoldsOnAllSets() {
        const auto with = [](SetScore set) {
            return changed([&](LabelTrust& l) { l.sets.push_back(set); });
        };
        QVERIFY(with(setOf("third", 0.4, 0.3, 0.5)).grade(Transfers) == Grade::Passed);
        // Just below the threshold, which the interval holds.
        QVERIFY(with(setOf("third", 0.29, 0.2, 0.4)).grade(Transfers) == Grade::Undecided);
        QVERIFY(with(setOf("third", 0.2, 0.15, 0.25)).grade(Transfers) == Grade::Failed);
        QVERIFY(with(setOf("third", 0.4, 0.01, 0.9)).grade(Transfers) == Grade::Undecided);
        const double none = std::nan("");
        const LabelTrust dark = with(setOf("third", none, none, none));
        QVERIFY(dark.grade(Transfers) == Grade::Failed);
        QCOMPARE(dark.leastSet()->set, std::string("third"));
        QCOMPARE(dark.setsHeld(), std::size_t{2});
        QCOMPARE(
            trustSentence(dark, Transfers),
            std::string("It holds on 2 of 3 sets of other input, and shows nothing to judge on "
                        "third."));
        QCOMPARE(trustSentence(passing(), Transfers),
                 std::string("It holds on 2 of 2 sets of other input, and has its least score, "
                             "0.50, on upper."));
        // One set tells nothing of others.
        QVERIFY(changed([](LabelTrust& l) { l.sets.pop_back(); }).grade(Transfers) ==
                Grade::Untested);
        QVERIFY(changed([](LabelTrust& l) { l.sets.clear(); }).grade(Transfers) == Grade::Untested);
        QVERIFY(changed([](LabelTrust& l) { l.sets.clear(); }, HeadTypeId::PreviousWeights)
                    .grade(Transfers) == Grade::NotAsked);
    }

    void stableFromNineInTen() {
        const auto with = [](double share) {
            return changed([&](LabelTrust& l) { l.stable_share = share; }).grade(Stable);
        };
        QVERIFY(with(0.9) == Grade::Passed);
        QVERIFY(with(0.89) == Grade::Failed);
        QVERIFY(with(std::nan("")) == Grade::Untested);
        QVERIFY(changed([](LabelTrust& l) { l.stable_share = std::nan(""); },
                        HeadTypeId::InductionWeights)
                    .grade(Stable) == Grade::NotAsked);
    }

    void everyPartHasItsSentence() {
        const LabelTrust label = passing();
        QCOMPARE(trustSentence(label, Pattern),
                 std::string("Its score is 0.80; the type counts from 0.30 on, and a head that "
                             "attends evenly has 0.02."));
        QVERIFY(trustSentence(label, Specific).starts_with("Its score is 0.80, and 0.10 "));
        QVERIFY(
            trustSentence(label, Specific).ends_with("; the difference is at least 0.60 (95 %)."));
        QCOMPARE(trustSentence(label, Writes),
                 std::string("It writes 75 % of the mean of its layer's heads."));
        QVERIFY(trustSentence(label, Needed).starts_with("Needed: ablating it"));
        QCOMPARE(trustSentence(label, Stable), std::string("It holds in 97 % of 900 resamples."));
        LabelTrust untested;
        untested.score.type = HeadTypeId::Induction;
        for (const TrustPart part : {Specific, Writes, Needed, Transfers, Stable}) {
            QVERIFY(untested.grade(part) == Grade::Untested);
            QVERIFY2(trustSentence(untested, part).find(" not ") != std::string::npos ||
                         trustSentence(untested, part).starts_with("No "),
                     trustSentence(untested, part).c_str());
        }
    }

    void tablesHaveWordsInFilesAndMarksOnScreen() {
        ModelTrust trust;
        trust.labels = {passing(), changed([](LabelTrust& l) {
                            l.effect = kNothing;
                            l.stable_share = 0.5;
                        })};
        trust.expected_false = {0.3, 2, 10};
        trust.notes = {"Not tested on other input: why."};
        const Table table = trustTable(trust, {});
        const auto cell = [&](std::size_t row, const char* key) {
            return plainText(table.rows[row][table.column(key)]);
        };
        for (const TableRow& row : table.rows)
            QCOMPARE(row.size(), table.columns.size());
        QCOMPARE(cell(0, "head"), std::string("1.0"));
        QCOMPARE(cell(0, "type"), std::string("induction"));
        QCOMPARE(cell(0, "word"), std::string("cause"));
        QCOMPARE(cell(1, "word"), std::string("correlate: pattern only"));
        QCOMPARE(cell(1, "needed"), std::string("failed"));
        QCOMPARE(cell(1, "verdict"), std::string("no effect found"));
        QCOMPARE(cell(0, "sets_held"), std::string("2"));
        QCOMPARE(cell(0, "least_set"), std::string("upper"));
        const auto json = nlohmann::json::parse(tableJson(table));
        QVERIFY(json["labels"][0]["evidence"]["stable"] == "It holds in 97 % of 900 resamples.");
        QVERIFY(json["labels"][0]["sets"][1]["holds"] == true);
        QVERIFY(json["words"]["cause"] == 1 && json["words"]["interferer"] == 0);
        QVERIFY(json["expected_false"]["count"] == 0.3);

        const Table screen = trustSummary(trust, {});
        const auto shown = [&](std::size_t row, const char* key) {
            return plainText(screen.rows[row][screen.column(key)]);
        };
        QCOMPARE(shown(1, "word"), std::string("correlate"));
        QCOMPARE(shown(0, "transfers"), std::string("● 2/2 0.50"));
        QCOMPARE(shown(1, "needed"), std::string("○ 0.00"));
        QCOMPARE(shown(1, "stable"), std::string("○ 50 %"));
        for (const char* line :
             {": 2 labels\n1 cause, 1 correlate: pattern only",
              "of the model’s 2 labels, about 0.3 are expected", "Not tested on other input: why."})
            QVERIFY2(screen.caption.find(line) != std::string::npos, screen.caption.c_str());
    }
};

const headscope::test::TestRegistration<TestLabelTrust> registration;

} // namespace test_label_trust

#include "test_label_trust.moc"

// Successor heads, planted where every word of a series is a unit vector: each has the label if it
// maps most words to the next one, and impostors that only look alike have none.

#include "core/base/random.h"
#include "core/datasets/ordinals.h"
#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/heads/sequences.h"
#include "core/interventions/ablation_effect.h"
#include "core/tokenizer/tokenizer.h"
#include "core/trust/measure_trust.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace test_successor {

using namespace headscope;
using namespace headscope::test;

namespace {

using enum HeadTypeId;

constexpr std::size_t kBefore = 2; ///< the unknown token and "and"
const std::vector<std::string> kDays{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                     "Friday", "Saturday", "Sunday"};
const std::vector<std::string> kLetters{"A", "B", "C", "D", "E", "F", "G", "H", "I",
                                        "J", "K", "L", "M", "N", "O", "P", "Q", "R",
                                        "S", "T", "U", "V", "W", "X", "Y", "Z"};
/// Three is missing.
const std::vector<std::string> kNumbers{"one",   "two",   "four", "five", "six",
                                        "seven", "eight", "nine", "ten"};

using Words = std::vector<std::vector<std::string>>;

std::shared_ptr<const Tokenizer> tokenizerOf(const Words& series) {
    std::string vocabulary = R"("[UNK]": 0, "and": 1)";
    std::size_t id = kBefore;
    for (const std::vector<std::string>& words : series)
        for (const std::string& word : words)
            vocabulary += ", \"" + word + "\": " + std::to_string(id++);
    return require(readTokenizerJson(
        R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
"normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null,
"decoder": null, "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {)" +
            vocabulary + "}}}",
        "planted"));
}

/// Where a head moves each word: rows and columns are ids, and what stands there is how much.
using Map = void (*)(MutableMatrixView W_O, const std::vector<OrdinalSeries>& all);

/// Adds `amount` from each word to the one `by` places further on in its series, if there is one.
void step(MutableMatrixView W_O, const OrdinalSeries& series, int by, float amount) {
    const auto count = static_cast<int>(series.tokens.size());
    for (int place = 0; place < count; ++place)
        if (place + by >= 0 && place + by < count)
            W_O(static_cast<std::size_t>(series.tokens[static_cast<std::size_t>(place)]),
                static_cast<std::size_t>(series.tokens[static_cast<std::size_t>(place + by)])) +=
                amount;
}

template <int By>
void moves(MutableMatrixView W_O, const std::vector<OrdinalSeries>& all) {
    for (const OrdinalSeries& series : all)
        step(W_O, series, By, 1.0f);
}
void small(MutableMatrixView W_O, const std::vector<OrdinalSeries>& all) {
    for (const OrdinalSeries& series : all)
        step(W_O, series, 1, 1e-12f);
}
void lowers(MutableMatrixView W_O, const std::vector<OrdinalSeries>& all) {
    for (const OrdinalSeries& series : all)
        step(W_O, series, 1, -1.0f);
}
/// `amount` on the word itself beside one on its successor.
template <int Percent>
void copiesToo(MutableMatrixView W_O, const std::vector<OrdinalSeries>& all) {
    for (const OrdinalSeries& series : all) {
        step(W_O, series, 1, 1.0f);
        step(W_O, series, 0, 0.01f * static_cast<float>(Percent));
    }
}
/// All later words of the series alike.
void allLater(MutableMatrixView W_O, const std::vector<OrdinalSeries>& all) {
    for (const OrdinalSeries& series : all)
        for (int by = 1; by < static_cast<int>(series.tokens.size()); ++by)
            step(W_O, series, by, 1.0f);
}
/// A later word of the series, drawn at random.
void anyLater(MutableMatrixView W_O, const std::vector<OrdinalSeries>& all) {
    Random random(1);
    for (const OrdinalSeries& series : all)
        for (std::size_t place = 0; place + 1 < series.tokens.size(); ++place) {
            const std::size_t later = place + 1 + random.below(series.tokens.size() - place - 1);
            W_O(static_cast<std::size_t>(series.tokens[place]),
                static_cast<std::size_t>(series.tokens[later])) = 1.0f;
        }
}
void anything(MutableMatrixView W_O, const std::vector<OrdinalSeries>&) {
    Random random(2);
    for (std::size_t row = 0; row < W_O.rows; ++row)
        for (std::size_t col = 0; col < W_O.cols; ++col)
            W_O(row, col) = static_cast<float>(random.below(1000));
}
/// The shortest series alone: the other words go to themselves.
void oneSeries(MutableMatrixView W_O, const std::vector<OrdinalSeries>& all) {
    for (const OrdinalSeries& series : all)
        step(W_O, series, series.tokens.size() == kDays.size() ? 1 : 0, 1.0f);
}
/// All but the shortest.
void mostSeries(MutableMatrixView W_O, const std::vector<OrdinalSeries>& all) {
    for (const OrdinalSeries& series : all)
        step(W_O, series, series.tokens.size() == kDays.size() ? 0 : 1, 1.0f);
}
void nothing(MutableMatrixView, const std::vector<OrdinalSeries>&) {}

struct Case {
    const char* name;
    Map map;
    bool is_successor;
};
constexpr Case kCases[] = {
    {"successor", moves<1>, true},
    {"successor, small weights", small, true},
    {"successor, and copies a little", copiesToo<80>, true},
    {"successor in most series", mostSeries, true},
    {"copying", moves<0>, false},
    {"predecessor", moves<-1>, false},
    {"two after", moves<2>, false},
    {"copies more than it counts", copiesToo<120>, false},
    {"lowers the successor", lowers, false},
    {"all later ones", allLater, false},
    {"any later one", anyLater, false},
    {"anything", anything, false},
    {"successor in one series alone", oneSeries, false},
    {"nothing", nothing, false},
};

/// A layer without heads that write, then one head for each case.
std::shared_ptr<const Model> planted(const std::vector<Case>& cases,
                                     const Words& words = {kDays, kNumbers, kLetters}) {
    std::size_t vocabulary = kBefore;
    for (const std::vector<std::string>& each : words)
        vocabulary += each.size();
    Model model = bareModel({.n_layers = 2,
                             .n_heads = cases.size(),
                             .n_kv_heads = cases.size(),
                             .d_head = vocabulary,
                             .d_model = vocabulary});
    model.name = "planted";
    model.tokenizer = tokenizerOf(words);
    const auto all = require(ordinalSeries(model));
    for (std::size_t head = 0; head < cases.size(); ++head) {
        addDiagonal(valueWeights(model, {1, head}), 0, 0);
        cases[head].map(outputWeights(model, {1, head}), all);
    }
    return std::make_shared<const Model>(std::move(model));
}

HeadScores successorScores(const std::shared_ptr<const Model>& model) {
    constexpr HeadTypeId kAsked[] = {Successor};
    return require(scoreTypes(model, kAsked, {}));
}

bool near(double found, double expected) {
    if (std::abs(found - expected) < 1e-9)
        return true;
    qWarning("found %.9g, expected %.9g", found, expected);
    return false;
}

} // namespace

class TestSuccessor : public QObject {
    Q_OBJECT

private slots:
    void labelsAreOfWhatIsDone_data() {
        QTest::addColumn<std::size_t>("head");
        for (std::size_t head = 0; head < std::size(kCases); ++head)
            QTest::newRow(kCases[head].name) << head;
    }
    void labelsAreOfWhatIsDone() {
        QFETCH(std::size_t, head);
        static const HeadScores scores =
            successorScores(planted({std::begin(kCases), std::end(kCases)}));
        const auto found = labels(scores, {1, head}, {});
        const HeadScore& score = scores.at(Successor, {1, head});
        QVERIFY2((std::ranges::count(found, Successor) == 1) == kCases[head].is_successor,
                 qPrintable(QStringLiteral("score %1, from %2, control %3")
                                .arg(score.score)
                                .arg(score.low)
                                .arg(score.control)));
    }

    /// 6 days, 6 numbers behind the gap and one before it, 25 letters.
    void exactScores() {
        const HeadScores scores = successorScores(planted({{"", moves<1>, true},
                                                           {"", moves<0>, false},
                                                           {"", moves<2>, false},
                                                           {"", oneSeries, false},
                                                           {"", moves<-1>, false},
                                                           {"", nothing, false}}));
        const auto of = [&](std::size_t head) { return scores.at(Successor, {1, head}); };
        constexpr double kAll = 6.0 + 7.0 + 25.0;
        QCOMPARE(scores.measuredOn(Successor).input, std::string("38 ordinals"));
        QVERIFY(near(of(0).score, 1.0) && near(of(0).control, 0.0) && near(of(0).variant, 1.0));
        QVERIFY(near(of(0).baseline, (6.0 / 7.0 + 7.0 / 9.0 + 25.0 / 26.0) / kAll));
        QVERIFY(near(of(1).score, 0.0) && near(of(1).control, 1.0));
        QVERIFY(near(of(2).control, (5.0 + 5.0 + 24.0) / kAll)); // the last have none
        QVERIFY(near(of(3).score, 6.0 / kAll) && near(of(3).control, 32.0 / kAll));
        QVERIFY(near(of(4).score, 0.0) && near(of(4).control, (5.0 + 5.0 + 24.0) / kAll));
        QVERIFY(near(of(5).score, 0.0) && near(of(5).control, 0.0) && near(of(5).variant, 0.0));
    }

    /// What a head finds that an earlier one has written is no step of its own.
    void copyingBehindASuccessorIsNone() {
        Model model = bareModel({.n_layers = 3, .d_head = 40, .d_model = 40});
        model.tokenizer = tokenizerOf({kDays, kLetters});
        const auto all = require(ordinalSeries(model));
        addDiagonal(valueWeights(model, {1, 0}), 0, 0);
        for (const OrdinalSeries& series : all)
            step(outputWeights(model, {1, 0}), series, 1, 10.0f);
        addDiagonal(valueWeights(model, {2, 0}), 0, 0);
        addDiagonal(outputWeights(model, {2, 0}), 0, 0);
        const HeadScores scores = successorScores(std::make_shared<const Model>(model));
        QVERIFY(near(scores.at(Successor, {1, 0}).score, 1.0));
        QVERIFY(near(scores.at(Successor, {2, 0}).score, 0.0));
    }

    /// Each query looks at itself, so that the first head says what comes next and the second what
    /// is there.
    void seriesNeedIt() {
        Model model = *planted({{"", moves<1>, true}, {"", moves<0>, false}});
        for (const std::size_t head : {0u, 1u}) {
            addDiagonal(queryWeights(model, {1, head}), 0, 0, 30.0f);
            addDiagonal(keyWeights(model, {1, head}), 0, 0);
            const MutableMatrixView W_O = outputWeights(model, {1, head});
            for (std::size_t row = 0; row < W_O.rows; ++row)
                for (std::size_t col = 0; col < W_O.cols; ++col)
                    W_O(row, col) *= head == 0 ? 8.0f : 1.0f;
        }
        const auto shared = std::make_shared<const Model>(std::move(model));
        const HeadScores scores = require(scoreHeads(shared));
        const ModelTrust trust = require(measureTrust(shared, scores, {}, {.types = {Successor}}));
        QCOMPARE(trust.labels.size(), 1u);
        const LabelTrust& label = trust.labels.front();
        QCOMPARE(label.score.head, (LayerHead{1, 0}));
        for (const TrustPart part : {TrustPart::Specific, TrustPart::Writes, TrustPart::Needed,
                                     TrustPart::Transfers, TrustPart::Stable})
            QVERIFY2(label.grade(part) == Grade::Passed, trustPartName(part).data());
        QVERIFY(label.word() == TrustWord::Cause);
        QCOMPARE(label.sets.front().set, std::string("ordinals 1 to 8"));
        QVERIFY(label.effect->question.input == InputKind::Ordinals);
        // Five of seven days, five of the numbers behind the gap, 25 letters.
        QCOMPARE(require(ordinalsInOrder(*shared)).size(), 7u);
    }

    void samplesHaveLettersAndNumbers() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto sequences = require(ordinalSequences(*model));
        QVERIFY(sequences.size() >= 40);
        for (const InputSequence& sequence : sequences) {
            QCOMPARE(sequence.ids.size(), 2u);
            QVERIFY(sequence.has_bos);
        }
        for (const InputSequence& sequence : require(ordinalsInOrder(*model)))
            QCOMPARE(sequence.ids.size(), 6u);
    }

    void saysWhyItIsNotRead() {
        const auto why = [](const std::shared_ptr<const Model>& model) {
            return successorScores(model).unread.at(Successor);
        };
        QVERIFY(why(loadSample("bert-mini-4l")).find("not linear") != std::string::npos);
        QVERIFY(why(loadFixture("microgpt")).find("days, months, numbers and letters") !=
                std::string::npos);
        Model bare = bareModel({.d_model = 12});
        bare.name = "bare";
        QVERIFY(why(std::make_shared<const Model>(bare)).find("cannot read ordinals") !=
                std::string::npos);
    }
};

const headscope::test::TestRegistration<TestSuccessor> registration;

} // namespace test_successor

#include "test_successor.moc"

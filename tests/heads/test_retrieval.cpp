// Retrieval heads: planted patterns on sentences that come again in a text. Each has the label of
// what it does, and impostors that only look alike have none.

#include "core/heads/controls/controls.h"
#include "core/heads/head_type.h"
#include "core/heads/needles.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace test_retrieval {

using namespace headscope;
using namespace headscope::test;

namespace {

using enum HeadTypeId;
using Keys = std::vector<std::size_t>;

/// A text of different tokens with a needle of eight: the third token is also the sixth, and the
/// fourth stands in the text, too.
constexpr std::size_t kNeedle = 8;
InputSequence needleAt(std::size_t depth) {
    constexpr std::size_t kText = 60;
    const TokenIds needle{101, 102, 103, 5, 104, 103, 106, 107};
    InputSequence sequence{.ids = {0}, .has_bos = true};
    for (std::size_t i = 0; i < kText; ++i) {
        if (i == depth)
            sequence.ids.insert(sequence.ids.end(), needle.begin(), needle.end());
        sequence.ids.push_back(static_cast<TokenId>(1 + i));
    }
    sequence.ids.insert(sequence.ids.end(), needle.begin(), needle.end());
    NeedleTask task{.needle = {1 + depth, 1 + depth + kNeedle}};
    for (std::size_t p = 0; p + 1 < kNeedle; ++p)
        task.queries.push_back(sequence.ids.size() - kNeedle + p);
    task.shuffled_ids = sequence.ids;
    std::rotate(task.shuffled_ids.begin() + static_cast<std::ptrdiff_t>(task.needle.begin),
                task.shuffled_ids.begin() + static_cast<std::ptrdiff_t>(task.needle.begin) + 3,
                task.shuffled_ids.begin() + static_cast<std::ptrdiff_t>(task.needle.end));
    sequence.needle = std::make_shared<const NeedleTask>(std::move(task));
    return sequence;
}

/// The keys that a query looks at evenly, in the tokens as they are there; none: it rests.
using Look = Keys (*)(const TokenIds& ids, const InputSequence& sequence, std::size_t q);

/// The key behind the last earlier place where the two tokens before were the same.
Keys afterTheSame(const TokenIds& ids, const InputSequence&, std::size_t q) {
    for (std::size_t k = q; q > 1 && k-- > 2;)
        if (ids[k] == ids[q] && ids[k - 1] == ids[q - 1])
            return {k + 1};
    return {};
}
/// By position alone: right in one of the sequences.
Keys fixedDistance(const TokenIds&, const InputSequence&, std::size_t q) {
    constexpr std::size_t kDistance = 58;
    return q >= kDistance ? Keys{q - kDistance} : Keys{};
}
Keys theSame(const TokenIds& ids, const InputSequence&, std::size_t q) {
    Keys keys;
    for (std::size_t k = 1; k < q; ++k)
        if (ids[k] == ids[q])
            keys.push_back(k);
    return keys;
}
Keys allOfNeedle(const TokenIds&, const InputSequence& sequence, std::size_t q) {
    Keys keys;
    for (std::size_t k = sequence.needle->needle.begin; k < sequence.needle->needle.end && k < q;
         ++k)
        keys.push_back(k);
    return keys;
}
/// Whatever is there, at the place of the needle that would be right.
Keys placeInNeedle(const TokenIds&, const InputSequence& sequence, std::size_t q) {
    const std::size_t first = sequence.ids.size() - kNeedle;
    return q >= first && q + 1 < sequence.ids.size()
               ? Keys{sequence.needle->needle.begin + q - first + 1}
               : Keys{};
}
Keys previous(const TokenIds&, const InputSequence&, std::size_t q) {
    return {q - 1};
}
Keys nowhere(const TokenIds&, const InputSequence&, std::size_t) {
    return {};
}

struct Case {
    const char* name;
    Look look;
    double sink; ///< what rests on position 0, of every query
    bool is_retrieval;
};
constexpr Case kCases[] = {
    {"the next token of the needle", afterTheSame, 0.0, true},
    {"likewise, 40 % at rest", afterTheSame, 0.4, true},
    {"likewise, mostly at rest", afterTheSame, 0.6, false},
    {"the same token", theSame, 0.0, false},
    {"all of the needle", allOfNeedle, 0.0, false},
    {"a place, whatever token is there", placeInNeedle, 0.0, false},
    {"a fixed distance", fixedDistance, 0.0, false},
    {"the token before", previous, 0.0, false},
    {"nothing", nowhere, 0.0, false},
};

Run runOf(const TokenIds& ids, const InputSequence& sequence, const Case& planted_case) {
    std::vector<std::vector<double>> weights(ids.size(), std::vector<double>(ids.size()));
    for (std::size_t q = 0; q < ids.size(); ++q) {
        const Keys keys = q == 0 ? Keys{} : planted_case.look(ids, sequence, q);
        weights[q][0] = keys.empty() ? 1.0 : planted_case.sink;
        for (const std::size_t k : keys)
            weights[q][k] += (1.0 - planted_case.sink) / static_cast<double>(keys.size());
    }
    return runWithPattern(ids, [&](std::size_t q, std::size_t k) { return weights[q][k]; });
}

double scoreOf(const Case& planted_case, const InputSequence& sequence) {
    const Run run = runOf(sequence.ids, sequence, planted_case);
    const auto meter = headType(Retrieval).meter(run.model, sequence);
    showPatterns(run, *meter);
    return meter->measurement().heads[kGiven].score;
}

double controlOf(const Case& planted_case, const InputSequence& sequence) {
    const Run run = runOf(sequence.needle->shuffled_ids, sequence, planted_case);
    constexpr HeadTypeId kAsked[] = {Retrieval};
    auto meters =
        SequenceMeters::ofControls(run.model, sequence, ControlInput::ShuffledNeedle, kAsked);
    showPatterns(run, meters);
    return meters.measurements().at(Retrieval).heads[kGiven].score;
}

bool near(double found, double expected) {
    if (std::abs(found - expected) < 1e-9)
        return true;
    qWarning("found %.9g, expected %.9g", found, expected);
    return false;
}

} // namespace

class TestRetrieval : public QObject {
    Q_OBJECT

private slots:
    /// Judged as labels are: the score on several sequences from the threshold on, and above the
    /// control in each.
    void whatIsDoneIsTold_data() {
        QTest::addColumn<std::size_t>("place");
        for (std::size_t place = 0; place < std::size(kCases); ++place)
            QTest::newRow(kCases[place].name) << place;
    }
    void whatIsDoneIsTold() {
        QFETCH(std::size_t, place);
        constexpr std::size_t kDepths[] = {2, 5, 9, 14, 20, 26};
        double score = 0.0;
        double least_above = 1.0;
        for (const std::size_t depth : kDepths) {
            const InputSequence sequence = needleAt(depth);
            const double of_sequence = scoreOf(kCases[place], sequence);
            score += of_sequence / static_cast<double>(std::size(kDepths));
            least_above = std::min(least_above, of_sequence - controlOf(kCases[place], sequence));
        }
        const HeadType& type = headType(Retrieval);
        const bool is_labelled =
            score >= type.threshold && least_above >= type.control->least_above;
        QVERIFY2(is_labelled == kCases[place].is_retrieval,
                 qPrintable(QStringLiteral("score %1, above %2").arg(score).arg(least_above)));
    }

    /// 7 tokens are read. The token that stands twice in the needle is right in both places.
    void exactScores() {
        const InputSequence sequence = needleAt(5);
        QCOMPARE(nextInNeedle(sequence, sequence.ids.size() - 1), Keys{});
        QCOMPARE(nextInNeedle(sequence, sequence.ids.size() - kNeedle + 1), (Keys{8, 11}));
        QCOMPARE(nextInNeedle(sequence, sequence.ids.size() - kNeedle + 2),
                 Keys{9}); // not in the text
        QCOMPARE(nextInNeedle(sequence, 20), Keys{});
        QVERIFY(near(scoreOf(kCases[0], sequence), 6.0 / 7.0)); // the first asks for two tokens
        QVERIFY(near(controlOf(kCases[5], sequence), 1.0));
        QVERIFY(near(scoreOf(kCases[8], sequence), 0.0));
        // What the model does not go on with is not asked.
        NeedleTask task = *sequence.needle;
        task.queries = {sequence.ids.size() - kNeedle, sequence.ids.size() - kNeedle + 2};
        InputSequence asked = sequence;
        asked.needle = std::make_shared<const NeedleTask>(task);
        QVERIFY(near(scoreOf(kCases[0], asked), 0.5));
    }

    void sentencesOfASampleModel() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto sequences = require(needleSequences(model, 6, 0, BosMode::Auto));
        for (const InputSequence& sequence : sequences) {
            const PositionRange needle = sequence.needle->needle;
            const TokenIds& ids = sequence.ids;
            const std::size_t again = ids.size() - needle.size();
            QVERIFY(ids.size() <= 96 && again >= needle.end + 32);
            QVERIFY(std::equal(ids.begin() + static_cast<std::ptrdiff_t>(needle.begin),
                               ids.begin() + static_cast<std::ptrdiff_t>(needle.end),
                               ids.begin() + static_cast<std::ptrdiff_t>(again)));
            const TokenIds& shuffled = sequence.needle->shuffled_ids;
            QVERIFY(shuffled != ids);
            for (std::size_t i = 0; i < ids.size(); ++i)
                QVERIFY(needle.contains(i) || shuffled[i] == ids[i]);
            QVERIFY(std::is_permutation(ids.begin(), ids.end(), shuffled.begin()));
            for (const std::size_t q : sequence.needle->queries)
                QVERIFY(q >= again + 3 && !nextInNeedle(sequence, q).empty());
        }
    }

    void saysWhyItIsNotRead() {
        const auto why = [](const std::shared_ptr<const Model>& model) {
            constexpr HeadTypeId kAsked[] = {Retrieval};
            return require(scoreTypes(model, kAsked, {})).unread.at(Retrieval);
        };
        QVERIFY(why(loadSample("bert-mini-4l")).find("next token") != std::string::npos);
        Model forgetful = *loadSample("gpt2-mini-6l");
        for (LayerWeights& layer : forgetful.weights.layers)
            std::ranges::fill(layer.attn.W_O.floats().values(), 0.0f);
        QVERIFY(why(std::make_shared<const Model>(forgetful)).find("goes on rightly with only") !=
                std::string::npos);
        Model brief = *loadSample("gpt2-mini-6l");
        brief.spec.n_ctx = 72;
        QVERIFY(why(std::make_shared<const Model>(brief)).find("needs a context of 73") !=
                std::string::npos);
    }

    void otherTextSaysNothingOfNeedles() {
        const InputSequence text{.ids = {0, 1, 2, 3}, .has_bos = true};
        const Run run = runWithPattern(
            text.ids, [](std::size_t q, std::size_t) { return 1.0 / static_cast<double>(q + 1); });
        QVERIFY(headType(Retrieval).meter(run.model, text) == nullptr);
        QVERIFY(!scoresOfRun(run, true).has(Retrieval));
    }
};

const headscope::test::TestRegistration<TestRetrieval> registration;

} // namespace test_retrieval

#include "test_retrieval.moc"

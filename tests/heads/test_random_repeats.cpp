#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <memory>
#include <set>

namespace test_random_repeats {

using namespace headscope;

namespace {

/// A model without weights and tokenizer: BOS is 0, [MASK] is 1.
Model modelOf(std::size_t vocabulary, std::size_t context) {
    Model model;
    model.name = "tiny";
    model.spec.d_vocab = vocabulary;
    model.spec.n_ctx = context;
    model.spec.bos_token = 0;
    model.spec.mask_token = 1;
    return model;
}

std::vector<InputSequence> drawn(const Model& model, const RepeatOptions& options) {
    auto sequences = repeatedRandomSequences(model, options);
    if (!sequences)
        qFatal("%s", sequences.error().message.c_str());
    return *sequences;
}

std::string refused(const Model& model, const RepeatOptions& options) {
    const auto sequences = repeatedRandomSequences(model, options);
    return sequences ? "" : sequences.error().message;
}

} // namespace

class TestRandomRepeats : public QObject {
    Q_OBJECT

private slots:
    void bosAndTwoEqualCopies() {
        for (const InputSequence& x : drawn(modelOf(1000, 256), {.bos = BosMode::Yes})) {
            QCOMPARE(x.ids.size(), std::size_t{101});
            QCOMPARE(x.ids[0], 0);
            QVERIFY(x.has_bos);
            QCOMPARE(*x.period, std::size_t{50});
            QVERIFY(std::equal(x.ids.begin() + 1, x.ids.begin() + 51, x.ids.begin() + 51));
            const std::set<TokenId> different(x.ids.begin() + 1, x.ids.begin() + 51);
            QCOMPARE(different.size(), std::size_t{50});
        }
    }

    void distinctTokensComeOnce() {
        const auto lengthOf = [](const Model& model) {
            const auto sequences = distinctRandomSequences(model, {.bos = BosMode::Yes});
            if (!sequences)
                return std::size_t{0};
            for (const InputSequence& x : *sequences) {
                const std::set<TokenId> different(x.ids.begin(), x.ids.end());
                if (different.size() != x.ids.size() || x.period || !x.has_bos)
                    return std::size_t{0};
            }
            return sequences->front().ids.size();
        };
        QCOMPARE(lengthOf(modelOf(1000, 256)), std::size_t{129}); // whatever the period
        QCOMPARE(lengthOf(modelOf(1000, 64)), std::size_t{64});
        QCOMPARE(lengthOf(modelOf(28, 64)), std::size_t{25});
        QCOMPARE(lengthOf(modelOf(1000, 4)), std::size_t{0}); // refused
    }

    void withoutBos() {
        const auto sequences = drawn(modelOf(1000, 256), {.sequences = 3, .bos = BosMode::No});
        QCOMPARE(sequences.size(), std::size_t{3});
        QCOMPARE(sequences[0].ids.size(), std::size_t{100});
        QVERIFY(!sequences[0].has_bos);
        QCOMPARE(sequences[0].ids[0], sequences[0].ids[50]);
    }

    void seedDecides() {
        const Model model = modelOf(1000, 256);
        const auto first = drawn(model, {.seed = 7, .bos = BosMode::Yes});
        const auto again = drawn(model, {.seed = 7, .bos = BosMode::Yes});
        const auto other = drawn(model, {.seed = 8, .bos = BosMode::Yes});
        QCOMPARE(first[9].ids, again[9].ids);
        QVERIFY(first[0].ids != other[0].ids);
        QVERIFY(first[0].ids != first[1].ids);
    }

    // 100 ordinary ids, 2 … 101; four of them are cut at either end.
    void specialsAndFrequencyEndsAreLeftOut() {
        std::set<TokenId> seen;
        for (const InputSequence& x :
             drawn(modelOf(102, 256), {.sequences = 50, .bos = BosMode::No}))
            seen.insert(x.ids.begin(), x.ids.end());
        QCOMPARE(*seen.begin(), 6);
        QCOMPARE(*seen.rbegin(), 97);
        QCOMPARE(seen.size(), std::size_t{92});
    }

    void tokensAreDrawnFromThoseGiven() {
        const Model model = modelOf(1000, 256);
        const TokenIds content = contentIds(model);
        QVERIFY(std::ranges::is_sorted(content));
        QVERIFY(content.front() > 30 && content.back() < 970); // without either end
        const RepeatOptions options{.bos = BosMode::Yes,
                                    .length = 40,
                                    .drawn_from = {content.begin(), content.begin() + 70}};
        const auto distinct = distinctRandomSequences(model, options);
        QVERIFY(distinct);
        for (const auto& sequences : {drawn(model, options), *distinct})
            for (const InputSequence& x : sequences) {
                QCOMPARE(x.ids.size(), x.period ? std::size_t{101} : std::size_t{41});
                QVERIFY(std::all_of(x.ids.begin() + 1, x.ids.end(),
                                    [&](TokenId id) { return id <= content[69]; }));
            }
    }

    void periodFitsTheContext() {
        QCOMPARE(*drawn(modelOf(1000, 64), {.bos = BosMode::Yes})[0].period, std::size_t{31});
        QCOMPARE(*drawn(modelOf(1000, 64), {.bos = BosMode::No})[0].period, std::size_t{32});
        QCOMPARE(*drawn(modelOf(1000, 9), {.bos = BosMode::Yes})[0].period, std::size_t{4});
    }

    void periodFitsTheVocabulary() {
        const auto sequences = drawn(modelOf(28, 256), {.bos = BosMode::Yes});
        QCOMPARE(*sequences[0].period, std::size_t{24}); // 26 ordinary ids, one cut at either end
    }

    void contextTooShort() {
        QCOMPARE(refused(modelOf(1000, 5), {.bos = BosMode::Yes}),
                 std::string("The heads of tiny cannot be scored on repeated random tokens: its "
                             "context holds 5 positions and two copies of 4 tokens need 9; score "
                             "them on a prompt of your own."));
    }

    void vocabularyTooSmall() {
        QCOMPARE(refused(modelOf(5, 64), {.bos = BosMode::Yes}),
                 std::string("The heads of tiny cannot be scored on repeated random tokens: its "
                             "vocabulary has 3 ordinary tokens and a sequence needs 4 different "
                             "ones; score them on a prompt of your own."));
    }

    void nothingAskedFor() {
        const std::string message =
            "Random sequences need at least one sequence and one token to repeat.";
        QCOMPARE(refused(modelOf(1000, 64), {.sequences = 0}), message);
        QCOMPARE(refused(modelOf(1000, 64), {.period = 0}), message);
    }

    void sequencesAreChecked() {
        const auto model = std::make_shared<const Model>(modelOf(1000, 64));
        const auto none = scoreSequences(model, {}, "nothing");
        QCOMPARE(none.error().message, std::string("There is no sequence to score heads on."));

        const InputSequence wrong{{0, 1, 2, 1}, true, 2};
        const auto period = scoreSequences(model, {&wrong, 1}, "wrong");
        QCOMPARE(period.error().message,
                 std::string("A sequence that repeats 2 tokens must hold 4 tokens besides BOS, and "
                             "this one holds 3."));

        const std::vector<InputSequence> mixed{{{0, 1}, true, {}}, {{0, 1}, false, {}}};
        QVERIFY(!scoreSequences(model, mixed, "mixed"));
    }

    void stopped() {
        auto model = std::make_shared<Model>(modelOf(1000, 64));
        model->spec.n_layers = 1;
        std::stop_source stop;
        stop.request_stop();
        const auto scores = scoreHeads(model, {.bos = BosMode::Yes}, {}, stop.get_token());
        QVERIFY(!scores);
        QCOMPARE(scores.error().code, ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestRandomRepeats> registration;

} // namespace test_random_repeats

#include "test_random_repeats.moc"

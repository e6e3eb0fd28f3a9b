#include "core/interventions/prompt_alignment.h"
#include "tests/support/runner.h"

#include <QTest>

#include <random>

namespace test_prompt_alignment {

using namespace headscope;

namespace {

constexpr auto kNone = std::nullopt;

TokenIds randomTokens(std::mt19937& random, std::size_t most, TokenId kinds) {
    TokenIds tokens(random() % (most + 1));
    for (TokenId& token : tokens)
        token = static_cast<TokenId>(random()) % kinds;
    return tokens;
}

/// By trying everything.
std::size_t longestCommon(std::span<const TokenId> a, std::span<const TokenId> b) {
    if (a.empty() || b.empty())
        return 0;
    const std::size_t skipped =
        std::max(longestCommon(a.subspan(1), b), longestCommon(a, b.subspan(1)));
    return a[0] == b[0] ? std::max(skipped, 1 + longestCommon(a.subspan(1), b.subspan(1)))
                        : skipped;
}

std::size_t matches(const TokenAlignment& alignment, const TokenIds& a, const TokenIds& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        count += alignment[i] && a[i] == b[*alignment[i]] ? 1 : 0;
    return count;
}

bool ascends(const TokenAlignment& alignment) {
    std::optional<std::size_t> last;
    for (const auto& position : alignment) {
        if (position && last && *position <= *last)
            return false;
        last = position ? position : last;
    }
    return true;
}

} // namespace

class TestPromptAlignment : public QObject {
    Q_OBJECT

private slots:
    void theSamePromptIsItself() {
        const TokenIds ids{1, 2, 3, 2};
        QVERIFY(alignTokens(ids, ids) == (TokenAlignment{0, 1, 2, 3}));
    }

    void anotherNameStandsForTheName() {
        QVERIFY(alignTokens(TokenIds{9, 1, 5, 2}, TokenIds{9, 1, 6, 2}) ==
                (TokenAlignment{0, 1, 2, 3}));
    }

    void namesThatChangedPlacesStayWhereTheyAre() {
        // "Mary and John went, Mary" and "John and Mary went, John"
        const TokenIds first{1, 5, 2, 6, 1};
        const TokenIds second{2, 5, 1, 6, 2};
        QVERIFY(alignTokens(first, second) == (TokenAlignment{0, 1, 2, 3, 4}));
    }

    void whatWasPutInStandsForNothing() {
        QVERIFY(alignTokens(TokenIds{1, 2, 3}, TokenIds{1, 7, 8, 2, 3}) ==
                (TokenAlignment{0, 3, 4}));
        QVERIFY(alignTokens(TokenIds{1, 7, 8, 2, 3}, TokenIds{1, 2, 3}) ==
                (TokenAlignment{0, kNone, kNone, 1, 2}));
    }

    void aNameOfTwoTokensStandsForNoneOfOne() {
        QVERIFY(alignTokens(TokenIds{1, 5, 2}, TokenIds{1, 6, 7, 2}) ==
                (TokenAlignment{0, kNone, 3}));
    }

    void anEmptyPromptHasNoCounterpart() {
        QVERIFY(alignTokens(TokenIds{}, TokenIds{1}).empty());
        QVERIFY(alignTokens(TokenIds{1, 2}, TokenIds{}) == (TokenAlignment{kNone, kNone}));
    }

    void matchesAreALongestCommonSubsequence() {
        std::mt19937 random(7);
        for (int trial = 0; trial < 400; ++trial) {
            const TokenIds a = randomTokens(random, 8, 4);
            const TokenIds b = randomTokens(random, 8, 4);
            const TokenAlignment alignment = alignTokens(a, b);
            QVERIFY(ascends(alignment));
            QVERIFY(matches(alignment, a, b) == longestCommon(a, b));
            const TokenAlignment back = reversed(alignment, b.size());
            for (std::size_t i = 0; i < a.size(); ++i)
                QVERIFY(!alignment[i] || back[*alignment[i]] == i);
            QVERIFY(ascends(back));
        }
    }

    void pairsByHandHold() {
        const TokenIds first{1, 5, 2};
        const TokenIds second{1, 6, 7, 2};
        const std::vector<AlignedPair> by_hand{{1, 2}};
        QVERIFY(alignTokens(first, second, by_hand) == (TokenAlignment{0, 2, 3}));
    }

    void aPairTakesThePlaceOfThoseItContradicts() {
        std::vector<AlignedPair> pairs = withPair({}, {3, 4});
        pairs = withPair(pairs, {1, 1});
        pairs = withPair(pairs, {5, 6});
        QVERIFY(pairs == (std::vector<AlignedPair>{{1, 1}, {3, 4}, {5, 6}}));
        QVERIFY(withPair(pairs, {3, 5}) == (std::vector<AlignedPair>{{1, 1}, {3, 5}, {5, 6}}));
        QVERIFY(withPair(pairs, {2, 6}) == (std::vector<AlignedPair>{{1, 1}, {2, 6}}));
        QVERIFY(withPair(pairs, {4, 0}) == (std::vector<AlignedPair>{{4, 0}, {5, 6}}));
    }

    void promptsTooLongToCompareMatchAtTheirEnds() {
        TokenIds first(20'000, 1);
        TokenIds second(20'001, 2);
        first.front() = second.front() = 8;
        first.back() = second.back() = 9;
        const TokenAlignment alignment = alignTokens(first, second);
        QVERIFY(alignment.front() == 0u);
        QVERIFY(alignment.back() == 20'000u);
        QVERIFY(!alignment[10'000]);
    }
};

const headscope::test::TestRegistration<TestPromptAlignment> registration;

} // namespace test_prompt_alignment

#include "test_prompt_alignment.moc"

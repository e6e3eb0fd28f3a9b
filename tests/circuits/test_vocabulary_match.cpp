#include "core/base/random.h"
#include "core/circuits/factors/vocabulary_match.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <numeric>
#include <stop_token>

namespace test_vocabulary_match {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kVocabulary = 2500; ///< looked at in more than two parts
constexpr std::size_t kPlaces[] = {0, 1, 63, 64, 1022, 1023, 1024, 1025, 2047, 2048, 2498, 2499};

std::vector<std::size_t> allOf(std::size_t count) {
    std::vector<std::size_t> rows(count);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

MatchAccuracy matched(const Tensor& x, const Tensor& table, const std::vector<std::size_t>& own) {
    return require(matchAccuracy(x.matrix(), table.matrix(), own, {}));
}

/// One row that finds its own token with the product 1, and others with the given ones; all that
/// are not named with 0.
MatchAccuracy ownAgainst(std::size_t own,
                         const std::vector<std::pair<std::size_t, float>>& others) {
    Tensor table({kVocabulary, 1});
    table(own, 0) = 1.0f;
    for (const auto& [token, product] : others)
        table(token, 0) = product;
    return matched(Tensor({1, 1}, 1.0f), table, {own});
}

/// What the header says, a row at a time. Products of small whole numbers are exact in any order.
MatchAccuracy bySorting(const Tensor& x, const Tensor& table, const std::vector<std::size_t>& own) {
    MatchAccuracy found{0.0, 0.0, x.dim(0)};
    for (std::size_t row = 0; row < x.dim(0); ++row) {
        std::vector<float> products(table.dim(0), 0.0f);
        for (std::size_t token = 0; token < table.dim(0); ++token)
            for (std::size_t i = 0; i < x.dim(1); ++i)
                products[token] += x(row, i) * table(token, i);
        std::size_t as_large = 0;
        for (std::size_t token = 0; token < table.dim(0); ++token)
            as_large += token != own[row] && products[token] >= products[own[row]] ? 1 : 0;
        found.top1 += as_large < 1 ? 1.0 : 0.0;
        found.top5 += as_large < 5 ? 1.0 : 0.0;
    }
    found.top1 /= static_cast<double>(x.dim(0));
    found.top5 /= static_cast<double>(x.dim(0));
    return found;
}

Tensor wholeNumbers(const Shape& shape, Random& random) {
    Tensor numbers(shape);
    for (float& number : numbers.values())
        number = static_cast<float>(random.below(9)) - 4.0f;
    return numbers;
}

} // namespace

class TestVocabularyMatch : public QObject {
    Q_OBJECT

private slots:
    void aTokenFindsItselfWhereverItIs() {
        for (const std::size_t own : kPlaces) {
            const MatchAccuracy found = ownAgainst(own, {});
            QCOMPARE(found.top1, 1.0);
            QCOMPARE(found.top5, 1.0);
            QCOMPARE(found.rows, std::size_t{1});
        }
    }

    void oneLargerAnywhereTakesTheFirstPlace() {
        for (const std::size_t own : kPlaces)
            for (const std::size_t other : kPlaces)
                if (other != own) {
                    const MatchAccuracy found = ownAgainst(own, {{other, 2.0f}});
                    QCOMPARE(found.top1, 0.0);
                    QCOMPARE(found.top5, 1.0);
                }
    }

    void ofEqualProductsTheOwnComesLast() {
        for (const std::size_t own : {0UL, 1024UL, 2499UL})
            for (const std::size_t other : {1UL, 1023UL, 2498UL})
                QCOMPARE(ownAgainst(own, {{other, 1.0f}}).top1, 0.0);
        // Of zeros, that is nothing.
        const MatchAccuracy zeros = matched(Tensor({1, 1}), Tensor({kVocabulary, 1}, 1.0f), {0});
        QCOMPARE(zeros.top1, 0.0);
        QCOMPARE(zeros.top5, 0.0);
    }

    void fiveAsLargeTakeAllPlaces() {
        const std::size_t own = 1500;
        const std::vector<std::pair<std::size_t, float>> rising = {
            {3, 2.0f}, {900, 3.0f}, {1499, 4.0f}, {1501, 5.0f}, {2400, 6.0f}};
        std::vector<std::pair<std::size_t, float>> falling;
        for (const auto& [token, product] : rising)
            falling.emplace_back(token, 8.0f - product);
        for (auto others : {rising, falling}) {
            QCOMPARE(ownAgainst(own, others).top5, 0.0);
            others[2].second = 1.0f; // as large, which counts
            QCOMPARE(ownAgainst(own, others).top5, 0.0);
            others[2].second = 0.5f;
            QCOMPARE(ownAgainst(own, others).top5, 1.0);
            QCOMPARE(ownAgainst(own, others).top1, 0.0);
        }
    }

    void smallVocabulariesAreWholeParts() {
        for (const std::size_t d_vocab : {1UL, 2UL, 4UL, 6UL}) {
            Tensor identity({d_vocab, d_vocab});
            for (std::size_t i = 0; i < d_vocab; ++i)
                identity(i, i) = 1.0f;
            QCOMPARE(matched(identity, identity, allOf(d_vocab)).top1, 1.0);
        }
        // All products are below 0, and the own the largest of the two.
        Tensor table({2, 1}, -1.0f);
        table(1, 0) = -2.0f;
        QCOMPARE(matched(Tensor({1, 1}, 1.0f), table, {0}).top1, 1.0);
        QCOMPARE(matched(Tensor({1, 1}, 1.0f), table, {1}).top1, 0.0);
    }

    /// More rows than are multiplied at a time, many of whose products are equal.
    void manyRowsAsBySorting() {
        Random random(5);
        const Tensor table = wholeNumbers({kVocabulary, 12}, random);
        const Tensor x = wholeNumbers({600, 12}, random);
        std::vector<std::size_t> own(x.dim(0));
        for (std::size_t row = 0; row < own.size(); ++row) { // the best but a few
            std::size_t best = random.below(kVocabulary);
            float largest = -1.0f;
            for (std::size_t trial = 0; trial < 1500; ++trial) {
                const std::size_t token = random.below(kVocabulary);
                float product = 0.0f;
                for (std::size_t i = 0; i < 12; ++i)
                    product += x(row, i) * table(token, i);
                if (product > largest) {
                    largest = product;
                    best = token;
                }
            }
            own[row] = best;
        }
        const MatchAccuracy expected = bySorting(x, table, own);
        const MatchAccuracy found = matched(x, table, own);
        QVERIFY(expected.top1 > 0.1 && expected.top1 < expected.top5 && expected.top5 < 0.95);
        QCOMPARE(found.top1, expected.top1);
        QCOMPARE(found.top5, expected.top5);
        QCOMPARE(found.rows, std::size_t{600});
    }

    void whatIsNoNumberHasNoShare() {
        for (const float wrong :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
            Tensor table({kVocabulary, 1}, 1.0f);
            table(2300, 0) = wrong;
            const MatchAccuracy found = matched(Tensor({2, 1}, 1.0f), table, {0, 1});
            QVERIFY(std::isnan(found.top1) && std::isnan(found.top5));
            QCOMPARE(found.rows, std::size_t{2});
        }
    }

    void stops() {
        std::stop_source stop;
        stop.request_stop();
        const Tensor one({1, 1}, 1.0f);
        const std::vector<std::size_t> own{0};
        const auto stopped = matchAccuracy(one.matrix(), one.matrix(), own, stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestVocabularyMatch> registration;

} // namespace test_vocabulary_match

#include "test_vocabulary_match.moc"

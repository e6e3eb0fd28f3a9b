#include "core/interventions/prompt_alignment.h"

#include <algorithm>
#include <cstdint>

namespace headscope {
namespace {

using Tokens = std::span<const TokenId>;

constexpr std::size_t kMostCells = std::size_t{1} << 28;

enum class Step : std::uint8_t { Both, First, Second };

/// The steps that lead to the best alignment of what is left, [first, second] with one more on each
/// side than there are tokens (Needleman and Wunsch 1970, from the end).
std::vector<Step> bestSteps(Tokens first, Tokens second) {
    const std::size_t width = second.size() + 1;
    std::vector<Step> steps((first.size() + 1) * width, Step::Second);
    std::vector<std::uint32_t> below(width); ///< matches from here to the ends
    std::vector<std::uint32_t> row(width);
    for (std::size_t i = first.size(); i-- > 0;) {
        row.back() = 0;
        steps[i * width + second.size()] = Step::First;
        for (std::size_t j = second.size(); j-- > 0;) {
            row[j] = below[j + 1] + (first[i] == second[j] ? 1 : 0);
            Step step = Step::Both;
            if (below[j] > row[j]) {
                row[j] = below[j];
                step = Step::First;
            }
            if (row[j + 1] > row[j]) {
                row[j] = row[j + 1];
                step = Step::Second;
            }
            steps[i * width + j] = step;
        }
        std::swap(row, below);
    }
    return steps;
}

/// The matches of two passages in the middle of prompts, as positions in these passages.
std::vector<AlignedPair> matchesOf(Tokens first, Tokens second) {
    std::vector<AlignedPair> matches;
    if (first.empty() || second.empty() || first.size() > kMostCells / second.size())
        return matches;
    const std::vector<Step> steps = bestSteps(first, second);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < first.size() && j < second.size()) {
        const Step step = steps[i * (second.size() + 1) + j];
        if (step == Step::Both && first[i] == second[j])
            matches.push_back({i, j});
        i += step == Step::Second ? 0 : 1;
        j += step == Step::First ? 0 : 1;
    }
    return matches;
}

/// Pairs a whole passage; positions count from its beginning.
class PassageAligner {
public:
    PassageAligner(Tokens first, Tokens second, AlignedPair origin, TokenAlignment& alignment)
        : first_(first), second_(second), origin_(origin), alignment_(alignment) {}

    void align() {
        const std::size_t shorter = std::min(first_.size(), second_.size());
        std::size_t head = 0;
        for (; head < shorter && first_[head] == second_[head]; ++head)
            pair({head, head});
        std::size_t tail = 0;
        while (tail < shorter - head &&
               first_[first_.size() - 1 - tail] == second_[second_.size() - 1 - tail]) {
            ++tail;
            pair({first_.size() - tail, second_.size() - tail});
        }
        const AlignedPair end{first_.size() - tail, second_.size() - tail};
        AlignedPair from{head, head};
        for (const AlignedPair match : matchesOf(first_.subspan(head, end.first - head),
                                                 second_.subspan(head, end.second - head))) {
            const AlignedPair at{head + match.first, head + match.second};
            pair(at);
            substitute(from, at);
            from = {at.first + 1, at.second + 1};
        }
        substitute(from, end);
    }

private:
    void pair(AlignedPair at) { alignment_[origin_.first + at.first] = origin_.second + at.second; }

    /// Token for token between two matches, where both prompts have as many.
    void substitute(AlignedPair from, AlignedPair to) {
        const std::size_t count = to.first - from.first;
        if (count != to.second - from.second)
            return;
        for (std::size_t i = 0; i < count; ++i)
            pair({from.first + i, from.second + i});
    }

    Tokens first_;
    Tokens second_;
    AlignedPair origin_;
    TokenAlignment& alignment_;
};

} // namespace

TokenAlignment alignTokens(Tokens first, Tokens second, std::span<const AlignedPair> by_hand) {
    TokenAlignment alignment(first.size());
    AlignedPair from;
    const auto alignUpTo = [&](AlignedPair to) {
        PassageAligner(first.subspan(from.first, to.first - from.first),
                       second.subspan(from.second, to.second - from.second), from, alignment)
            .align();
    };
    for (const AlignedPair pair : by_hand) {
        alignUpTo(pair);
        alignment[pair.first] = pair.second;
        from = {pair.first + 1, pair.second + 1};
    }
    alignUpTo({first.size(), second.size()});
    return alignment;
}

TokenAlignment reversed(const TokenAlignment& alignment, std::size_t positions) {
    TokenAlignment back(positions);
    for (std::size_t position = 0; position < alignment.size(); ++position)
        if (alignment[position])
            back[*alignment[position]] = position;
    return back;
}

std::vector<AlignedPair> withPair(std::vector<AlignedPair> pairs, AlignedPair pair) {
    std::erase_if(pairs, [&](AlignedPair other) {
        return (other.first <= pair.first) != (other.second <= pair.second) ||
               other.first == pair.first || other.second == pair.second;
    });
    const auto after =
        std::ranges::find_if(pairs, [&](AlignedPair other) { return other.first > pair.first; });
    pairs.insert(after, pair);
    return pairs;
}

} // namespace headscope

#pragma once

#include "core/base/token_id.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// For each position of one prompt the matching position of another, ascending; nothing where there
/// is none.
using TokenAlignment = std::vector<std::optional<std::size_t>>;

/// A position of the first prompt and one of the second.
struct AlignedPair {
    std::size_t first = 0;
    std::size_t second = 0;

    bool operator==(const AlignedPair&) const = default;
};

/// Which position of `second` matches each of `first`: a longest common subsequence (of several one
/// that goes token for token as long as that loses no match), and between its matches token for
/// token where both have as many ("·Mary" for "·Anna"). Where they have not, these tokens match
/// nothing. `by_hand` are pairs that hold whatever the tokens are, ascending on both sides; the
/// tokens between two of them are aligned by themselves. Between matches at both ends at most 2^28
/// pairs of tokens are compared; beyond, only the matches at both ends count.
TokenAlignment alignTokens(std::span<const TokenId> first, std::span<const TokenId> second,
                           std::span<const AlignedPair> by_hand = {});

/// The same read from the other prompt, which has `positions`.
TokenAlignment reversed(const TokenAlignment& alignment, std::size_t positions);

/// `pairs` with one more, without those that it contradicts: that share a position with it or cross
/// it.
std::vector<AlignedPair> withPair(std::vector<AlignedPair> pairs, AlignedPair pair);

} // namespace headscope

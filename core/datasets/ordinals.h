#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/model/model.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// Words that follow one another in a fixed order: "Monday" to "Sunday", "one" to "twenty". Only
/// those that a tokenizer reads as one token each.
struct OrdinalSeries {
    TokenIds tokens;                ///< in their order
    std::vector<std::size_t> ranks; ///< the place of each among all words of the series; ascending

    /// Whether the word at `place` is directly followed by the next one that is here.
    bool hasSuccessor(std::size_t place) const {
        return place + 1 < tokens.size() && ranks[place + 1] == ranks[place] + 1;
    }
};

/// Days, months, numbers in figures and in words, "first" to "twentieth", and letters (kinds of
/// series of Gould et al. 2023), without series of which fewer than five words are one token. The
/// last word of a series has no successor. Fails without a tokenizer, and where fewer than ten
/// words have one.
Result<std::vector<OrdinalSeries>> ordinalSeries(const Model& model);

} // namespace headscope

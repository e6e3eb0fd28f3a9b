#pragma once

#include "core/base/per_head.h"
#include "core/heads/head_score.h"
#include "tests/trust/planted_cases.h"

#include <cstdint>

namespace headscope::test {

/// What a planted head does in a run, read off its patterns in plain loops: what else is in a
/// network disturbs what was planted.
struct Shown {
    double share = 0.0;    ///< on what it looks for, over queries that could find it
    double steady = 0.0;   ///< of those queries, how many look at nothing else as much
    double first = 0.0;    ///< on position 0, over q ≥ 1
    double content = 0.0;  ///< on all other positions, over q ≥ 8
    double near = 0.0;     ///< of that, what is within three positions
    double distance = 0.0; ///< mean distance off position 0 / farthest key, over q ≥ 33
    double evenness = 0.0; ///< entropy / ln(keys), over q ≥ 1
    double written = 0.0;  ///< mean length of what it adds, over that of its layer
};

/// Over three random sequences that repeat `period` tokens.
PerHead<Shown> shownBy(const PlantedCase& planted, std::uint64_t seed, std::size_t period);

/// What heads show on sequences that scores are read from.
struct ShownOnBoth {
    PerHead<Shown> repeats;  ///< with the usual period
    PerHead<Shown> distinct; ///< and of as many tokens as others have

    const Shown& of(HeadTypeId type, LayerHead head) const;
};
ShownOnBoth shownOnBoth(const PlantedCase& planted, std::uint64_t seed);

enum class Truth {
    Must,    ///< the head is of this type, with a share of ½ or more
    May,     ///< too weak, or on the edge of what the type means
    MustNot, ///< it is not
};

/// What is true of a head by what was planted. Nothing is asked of heads that are of a type for
/// half of the vocabulary.
Truth truthOf(HeadTypeId type, const PlantedHead& head, const Shown& shown);

/// The type that says what the head looks at, where one does.
std::optional<HeadTypeId> typeOfLook(const PlantedHead& head);

} // namespace headscope::test

#pragma once

#include "tests/trust/planted_model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace headscope::test {

/// A planted network with what was planted.
struct PlantedCase {
    PlantedShape shape;
    std::vector<PlantedHead> heads;
    std::shared_ptr<const Model> model;
};

/// How many kinds of shapes take turns.
inline constexpr std::size_t kPlantedKinds = 8;

/// The case at a place: its shape follows from the place, all else from the seed, too. One kind
/// in four reads words with `tokenizer`.
PlantedCase plantedCase(std::size_t place, std::uint64_t seed,
                        const std::shared_ptr<const Tokenizer>& tokenizer);

} // namespace headscope::test

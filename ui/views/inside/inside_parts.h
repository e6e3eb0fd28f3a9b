#pragma once

#include "core/attribution/head_steps.h"

#include <QString>

#include <cstddef>

namespace headscope::ui {

/// What the numbers of HeadSteps are, as the picture of them has it.
enum class InsidePart {
    Stream,
    Read,
    OwnQuery, ///< before rotary positions; of the query's position, as OwnKey and OwnValue
    OwnKey,
    OwnValue,
    TurnedQuery,
    TurnedKey,
    Query, ///< above the keys
    Key,   ///< the row is that of a key, as in all that follow up to WeightedValue
    Product,
    Dot,
    Scaled,
    Capped,
    Distance,
    Score,
    Exponential,
    Weight,
    Value,
    WeightedValue,
    SinkScore,
    SinkExponential,
    SinkWeight,
    Sum, ///< of the exponentials
    WeightSum,
    Z,
    HeadZ, ///< the row is the place of a head among those of the layer
    HeadOutput,
    LayerOutput,
    Raised, ///< the row is the place of a token
    Lowered,
};

/// One number, or some neighbours that share a tile.
struct InsideCell {
    InsidePart part = InsidePart::Stream;
    std::size_t row = 0;   ///< of what has rows
    std::size_t index = 0; ///< the dimension, the first of those in a tile
    std::size_t count = 1;

    bool operator==(const InsideCell&) const = default;
};

bool isOfKey(InsidePart part);
/// Whether it is a vector of tiles, and no number on its own.
bool isVector(InsidePart part);

/// One number; the row and the index must be there.
double insideValue(const HeadSteps& steps, InsidePart part, std::size_t row, std::size_t index);
/// How many numbers one row of it has.
std::size_t insideLength(const HeadSteps& steps, InsidePart part);
/// The largest magnitude of what shares a scale with it; 1 where all is 0.
double fullColour(const HeadSteps& steps, InsidePart part);

/// Of the numbers in a tile, the one of the largest magnitude: its index.
std::size_t largestIndex(const HeadSteps& steps, const InsideCell& cell);

/// The place of the head among those of its layer.
std::size_t placeOfHead(const HeadSteps& steps);

/// The row of HeadSteps::keys that is the query's own position; past the end where it does not see
/// itself.
std::size_t ownRow(const HeadSteps& steps);

} // namespace headscope::ui

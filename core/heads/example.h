#pragma once

#include "core/heads/corpus_scan.h"
#include "core/heads/example_choice.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// One sequence as one head sees it: its strongest row, in words. Needs no model, since examples
/// are also read from files of others.
struct HeadExample {
    std::size_t sequence = 0;
    std::size_t interval = 0; ///< 1 to kExampleIntervals, the last is the strongest
    StrongestRow row;
    /// What each token adds to the text, or the name of a token that stands for no text.
    std::vector<std::string> pieces;
    std::string text; ///< what a user would type for it
};

/// What a head does on a text, as people look at it.
struct ExampleList {
    std::vector<HeadExample> examples; ///< strongest first
    /// Largest weights of all sequences, in equal parts from 0 to 1.
    std::vector<std::size_t> histogram;
    AttentionMeans means;
};

/// The parts of ExampleList::histogram.
inline constexpr std::size_t kWeightBins = 20;

struct ExampleQuestion {
    ExampleKind kind = ExampleKind::Deciles;
    std::size_t count = 50;
    std::uint64_t seed = 0; ///< of ExampleKind::Random
};

/// The key of the weight that an example is chosen by: the heaviest that is neither the first one
/// nor the query. Nothing where there is none.
std::optional<StrongestRow::Key> chosenKey(const StrongestRow& row);

/// Of one head; `scan` holds what the first of these sequences gave.
ExampleList exampleList(const Model& model, std::span<const InputSequence> sequences,
                        const HeadScan& scan, const ExampleQuestion& question = {});

} // namespace headscope

#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/heads/corpus_scan.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Sequences are sorted by how strongly a head looks somewhere in them, and cut into ten parts.
inline constexpr std::size_t kExampleIntervals = 10;

/// Which sequences show what a head does. The strongest alone show one side of it.
enum class ExampleKind {
    Deciles,   ///< some of every part
    Strongest, ///< from the top
    Middle,    ///< around the median
    Random,    ///< drawn from all
};

/// In display order.
std::span<const ExampleKind> exampleKinds();
/// "deciles", "strongest", "middle", "random"
std::string_view exampleKindName(ExampleKind kind);

struct ChosenExample {
    std::size_t sequence = 0;
    std::size_t interval = 0; ///< 1 to kExampleIntervals, the last is the strongest

    bool operator==(const ChosenExample&) const = default;
};

/// `count` sequences at most, strongest first, by the largest weight of each. Of Deciles every part
/// gives its strongest sequence, and others at even steps below it.
std::vector<ChosenExample> chooseExamples(std::span<const float> strongest, ExampleKind kind,
                                          std::size_t count, std::uint64_t seed = 0);

/// How many weights are in each of `bins` parts from 0 to 1; 1 belongs to the last.
std::vector<std::size_t> weightHistogram(std::span<const float> weights, std::size_t bins);

/// One sequence as one head sees it: its strongest row, in words. Needs no model, since examples
/// are also read from files of others.
struct HeadExample {
    std::size_t sequence = 0;
    std::size_t interval = 0; ///< 1 to kExampleIntervals, the last is the strongest
    StrongestRow row;
    /// What each token adds to the text, or the name of a token without text.
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

/// The examples of one head; `scan` holds what the first of these sequences gave.
ExampleList exampleList(const Model& model, std::span<const InputSequence> sequences,
                        const HeadScan& scan, const ExampleQuestion& question = {});

struct ExampleOptions {
    std::size_t per_interval = 5;   ///< examples of each part, at most
    std::size_t keys_per_query = 8; ///< the largest weights of a row that are kept
    float least_weight = 0.005f;    ///< and of these, those from here on
};

/// One weight of a pattern.
struct ShownWeight {
    std::uint32_t query = 0;
    std::uint32_t key = 0;
    float weight = 0.0f;
};

/// One sequence as one head sees it.
struct AttentionExample {
    std::size_t sequence = 0;         ///< its index among those given
    std::size_t interval = 0;         ///< 1 to kExampleIntervals, the last is the strongest
    std::vector<ShownWeight> entries; ///< by query, the largest first
};

/// What one head does on a set of sequences.
struct HeadExamples {
    AttentionMeans means;
    /// [sequence], its largest weight off position 0 (row and column) and the diagonal.
    std::vector<float> strongest;
    std::vector<AttentionExample> examples; ///< strongest first
};

/// What each head does on these sequences, and examples from the whole range of how
/// strongly it looks, because the strongest alone show one side of a head. The sequences are run
/// twice; memory grows with the examples, and with sequences only by a number for each head.
Result<PerHead<HeadExamples>> attentionExamples(const std::shared_ptr<const Model>& model,
                                                std::span<const InputSequence> sequences,
                                                const ExampleOptions& options = {},
                                                const Progress& progress = {},
                                                const std::stop_token& stop = {});

} // namespace headscope

#pragma once

#include "core/attribution/stream_parts.h"
#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/tensor/linear_algebra.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace headscope {

/// What a score is compared with.
enum class ScoreContrast {
    Nothing, ///< the score by itself
    /// The mean over the other keys that the query sees, weighted by its attention: why this key
    /// and not another. This is 1 / (1 − weight) times the distance to the mean over all keys,
    /// where no learned sink takes a part.
    OtherKeys,
    Key, ///< the score of another key
};

/// One entry of a head's scores.
struct ScoreQuestion {
    LayerHead head;
    std::size_t query = 0;
    std::size_t key = 0;
    ScoreContrast contrast = ScoreContrast::OtherKeys;
    std::size_t other = 0; ///< the other key, with ScoreContrast::Key

    bool operator==(const ScoreQuestion&) const = default;
};

/// What a head makes of the stream it reads.
enum class HeadSide { Query, Key, Value };

/// "query", "key", "value"
std::string_view headSideName(HeadSide side);

/// Queries, keys or values of one head, as its scores and its z are made of them (after norm and
/// rotary), as the sum of what each writer gives [writer, position, d_head or d_head_v]. The norm
/// before attention, and that of queries and keys, is held at the scale it has in this run. Biases
/// of the norms and of W_Q, W_K or W_V count to the biases.
StreamParts headInputParts(const StreamRun& run, LayerHead head, HeadSide side,
                           PositionRange positions);

/// The same of any vector in the stream that the head reads at a position [d_model]: what it adds
/// to the query, key or value there [d_head or d_head_v].
std::vector<float> headInputOf(const StreamRun& run, LayerHead head, HeadSide side,
                               std::size_t position, std::span<const float> stream);

/// What one writer gives on one side of a score.
struct WriterPart {
    StreamWriter writer;
    double value = 0.0;
};

/// A score, or how far it is above another, as the sum of what each pair of writers adds: one whose
/// part the query reads, one whose part the key reads.
struct ScoreParts {
    ScoreQuestion question;
    std::vector<StreamWriter> writers;
    DoubleMatrix values;   ///< [writer read by the query, writer read by the key]
    double distance = 0.0; ///< DistanceBias, such as ALiBi's; it reads no writer
    double score = 0.0;    ///< of the run, scaled, after rotary, soft-cap and bias by distance
    /// What it is compared with, 0 for Nothing; `score` where the two differ by rounding alone.
    double reference = 0.0;
    double weight = 0.0; ///< the attention weight
    /// Whether a soft-cap bent scores; its factor is held at the value it has here.
    bool capped = false;

    double difference() const { return score - reference; }
    double sum() const; ///< of all parts: `difference` up to rounding
    /// What each writer gives to the query or to the key, with all of the other side. Each adds up
    /// to sum() − distance.
    std::vector<double> of(HeadSide side) const;
    /// The same with their writers, strongest first.
    std::vector<WriterPart> ranked(HeadSide side) const;
    /// The writer that raises the difference most on one side.
    WriterPart most(HeadSide side) const;
    /// Which share of the difference a value is; NaN where there is no difference.
    double share(double value) const;
};

/// Why a head looks there: its score q·k·scale taken apart (Elhage et al. 2021; the question of
/// Anthropic 2025, "Tracing Attention Computation Through Feature Interactions"). The score is
/// bilinear in what query and key read, and both are sums, so it is the sum over pairs, up to
/// rounding. What is not linear, scales of norms and the soft-cap, is held at the value it has in
/// this run. With a contrast the parts are those of the difference: each part of the key minus what
/// the same writer gives the keys it is compared with.
/// Fails for heads, queries and keys that are not there or that the mask hides, and for OtherKeys
/// where there are none.
Result<ScoreParts> takeScoreApart(const StreamRun& run, const ScoreQuestion& question);

/// The queries or keys of one head and what they were before norm and rotary, and what one
/// dimension adds to each score: what takeScoreApart() is along d_head instead of along writers.
struct ScoreDimensions {
    ScoreQuestion question;
    std::vector<double> query; ///< [d_head], after norm and rotary
    std::vector<double> key;   ///< [d_head], with a contrast minus what it is compared with
    std::vector<double> parts; ///< [d_head]: scale · query · key; they add up to the difference
    double distance = 0.0;     ///< DistanceBias beside them
    bool differs = true;       ///< whether the difference is more than rounding
};

/// The key with the largest weight of a query.
std::size_t strongestKey(const StreamRun& run, LayerHead head, std::size_t query);

/// Fails as takeScoreApart() does.
Result<ScoreDimensions> scoreDimensions(const StreamRun& run, const ScoreQuestion& question);

} // namespace headscope

#pragma once

#include "core/attribution/stream_parts.h"
#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/tensor/double_matrix.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// What a score is compared with.
enum class ScoreContrast {
    Nothing, ///< the score by itself
    RowMean, ///< the mean over the keys that the query sees, weighted by its attention
    Key,     ///< the score of another key
};

/// One entry of a head's scores.
struct ScoreQuestion {
    LayerHead head;
    std::size_t query = 0;
    std::size_t key = 0;
    ScoreContrast contrast = ScoreContrast::RowMean;
    std::size_t other = 0; ///< the other key, with ScoreContrast::Key

    bool operator==(const ScoreQuestion&) const = default;
};

/// The side of a head that reads the stream.
enum class ScoreSide { Query, Key };

/// Queries or keys of one head, after norm and rotary, as the sum of what each writer gives
/// [writer, position, d_head]. The norm before attention, and that of queries and keys, is held at
/// the scale it has in this run. Biases of the norms and of W_Q or W_K count to the biases.
StreamParts headInputParts(const StreamRun& run, LayerHead head, ScoreSide side,
                           PositionRange positions);

/// A score, or how far it is above another, as the sum of what each pair of writers adds: one whose
/// part the query reads, one whose part the key reads.
struct ScoreParts {
    ScoreQuestion question;
    std::vector<StreamWriter> writers;
    DoubleMatrix values;    ///< [writer read by the query, writer read by the key]
    double distance = 0.0;  ///< what ALiBi adds; it reads no writer
    double score = 0.0;     ///< of the run, scaled, after rotary, soft-cap and ALiBi
    double reference = 0.0; ///< what it is compared with, 0 for Nothing
    double weight = 0.0;    ///< the attention weight
    /// Whether a soft-cap bent scores; its factor is held at the value it has here.
    bool capped = false;

    double difference() const { return score - reference; }
    double sum() const; ///< of all parts: `difference` up to rounding
    /// What each writer gives on one side, with all of the other side. Each adds up to
    /// sum() − distance.
    std::vector<double> of(ScoreSide side) const;
};

/// Why a head looks there: its score q·k·scale taken apart (Elhage et al. 2021; the question of
/// Anthropic 2025, "Tracing Attention Computation Through Feature Interactions"). The score is
/// bilinear in what query and key read, and both are sums, so it is the sum over pairs, up to
/// rounding. What is not linear, scales of norms and the soft-cap, is held at the value it has in
/// this run. With a contrast the parts are those of the difference: each part of the key minus what
/// the same writer gives the keys it is compared with.
/// Fails for heads, queries and keys that are not there or that the mask hides.
Result<ScoreParts> takeScoreApart(const StreamRun& run, const ScoreQuestion& question);

/// The queries or keys of one head and what they were before norm and rotary, and what one
/// dimension adds to each score: what takeScoreApart() is along d_head instead of along writers.
struct ScoreDimensions {
    ScoreQuestion question;
    std::vector<double> query; ///< [d_head], after norm and rotary
    std::vector<double> key;   ///< [d_head], with a contrast minus what it is compared with
    std::vector<double> parts; ///< [d_head]: scale · query · key; they add up to the difference
    double distance = 0.0;     ///< what ALiBi adds beside them
};

/// Fails as takeScoreApart() does.
Result<ScoreDimensions> scoreDimensions(const StreamRun& run, const ScoreQuestion& question);

} // namespace headscope

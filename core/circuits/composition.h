#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/circuits/factors/head_circuits.h"

#include <array>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

namespace headscope {

/// What of a later head an earlier one feeds.
enum class CompositionKind { Q, K, V };
inline constexpr std::array kCompositionKinds{CompositionKind::Q, CompositionKind::K,
                                              CompositionKind::V};

/// "Q", "K", "V"
std::string_view compositionKindName(CompositionKind kind);
/// "q", "k", "v", as users name them.
std::string_view compositionKindKey(CompositionKind kind);

/// ‖A · B‖_F / (‖A‖_F · ‖B‖_F), 0..1 (Elhage et al. 2021, row vectors: A acts first). NaN when one
/// of them is 0 but for rounding or holds NaN.
double compositionScore(const FactoredMatrix& a, const FactoredMatrix& b);

/// The mean score of 32 pairs of products of random matrices of these shapes, with numbers uniform
/// in −1..1 from a fixed seed: about 1/√d_model when d_head is much smaller.
double compositionBaseline(std::size_t d_model, std::size_t d_head, std::uint64_t seed = 0);

/// The scores of all pairs of heads: A is W_OV of the earlier head, B is W_QK (Q), W_QKᵀ (K) or
/// W_OV (V) of the later one.
struct CompositionScores {
    HeadIndex heads; ///< of rows and columns, among them those that were removed
    /// By kind: [from, to] by their places in `heads`. NaN where the first head's layer is not the
    /// earlier one, where a head was removed, and where the score is not defined.
    std::array<Tensor, 3> scores;
    std::optional<Offset> offset; ///< of W_QK, rotary models only
    double baseline = 0.0;        ///< what random matrices score; not subtracted from `scores`

    double at(CompositionKind kind, LayerHead from, LayerHead to) const;
    double aboveBaseline(CompositionKind kind, LayerHead from, LayerHead to) const {
        return at(kind, from, to) - baseline;
    }
};

/// With rotary positions W_QK belongs to an offset; without one Q- and K-composition are NaN. Fails
/// for an offset beyond the context, and with ErrorCode::Cancelled on a stop request.
Result<CompositionScores> compositionScores(const FoldedWeights& weights,
                                            std::optional<Offset> offset = std::nullopt,
                                            const Progress& progress = {},
                                            const std::stop_token& stop = {});

struct CompositionEdge {
    CompositionKind kind = CompositionKind::Q;
    LayerHead from;
    LayerHead to;
    double score = 0.0;          ///< raw
    double above_baseline = 0.0; ///< score − baseline
};

/// The `n` highest scores of one kind, or without one of all, strongest first; fewer when there are
/// fewer. NaN is no edge.
std::vector<CompositionEdge> strongestEdges(const CompositionScores& scores, std::size_t n,
                                            std::optional<CompositionKind> only = std::nullopt);

} // namespace headscope

#include "core/circuits/composition.h"

#include "core/base/random.h"
#include "core/model/model.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

namespace headscope {

namespace {

constexpr float kUndefined = std::numeric_limits<float>::quiet_NaN();

std::size_t indexOf(CompositionKind kind) {
    return static_cast<std::size_t>(kind);
}

/// What remains of a head when its long sides are multiplied out. G and H are Gram matrices
/// [d_head, d_head].
struct HeadGrams {
    Tensor G; ///< of what W_OV reads: W_Vᵀ · W_V
    /// By kind, of the side of B that does not touch A. Empty where W_QK is not defined.
    std::array<Tensor, 3> H;
    double ov_norm = 0.0;           ///< ‖W_OV‖_F, NaN where it is 0
    std::array<double, 3> B_norm{}; ///< ‖B‖_F, by kind, NaN where it is 0
};

/// r · gram · rᵀ
Tensor turned(const Tensor& r, Tensor gram) {
    if (r.empty())
        return gram;
    Tensor half = Tensor::uninitialised(gram.shape());
    multiply(r.matrix(), gram.matrix(), half.matrix());
    multiplyTransposed(1.0f, half.matrix(), r.matrix(), gram.matrix());
    return gram;
}

double rootOf(double square) {
    return square < 0.0 ? 0.0 : std::sqrt(square); // rounding may leave less than nothing
}

/// ‖W · V‖_F from Wᵀ·W and V·Vᵀ [d_head, d_head], whose entries are sums of `terms` products. NaN
/// where it is 0 but for rounding, because it is divided by.
double normOfProduct(MatrixView W_gram, MatrixView V_gram, std::size_t terms) {
    const double square = elementwiseSum(W_gram, V_gram);
    const double noise = 2.0 * roundingShare(terms) * frobeniusNorm(W_gram) * frobeniusNorm(V_gram);
    return square <= noise ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(square);
}

HeadGrams gramsOf(const FoldedWeights& weights, LayerHead head, std::optional<Offset> offset) {
    using enum CompositionKind;
    HeadGrams grams;
    grams.G = columnGram(weights.valueWeights(head).matrix());
    grams.H[indexOf(V)] = rowGram(weights.outputWeights(head).matrix());
    grams.ov_norm =
        normOfProduct(grams.G.matrix(), grams.H[indexOf(V)].matrix(), weights.spec().d_model);
    grams.B_norm[indexOf(V)] = grams.ov_norm;
    if (weights.spec().positions == PositionKind::Rotary && !offset)
        return grams;
    // W_QK = W_Q · (R · W_Kᵀ), and its transpose is W_K · (Rᵀ · W_Qᵀ).
    const Tensor Q_gram = columnGram(weights.queryWeights(head).matrix());
    const Offset distance = offset.value_or(0);
    grams.H[indexOf(Q)] = turned(rotation(weights.spec(), head.layer, distance),
                                 columnGram(weights.keyWeights(head).matrix()));
    grams.H[indexOf(K)] = turned(rotation(weights.spec(), head.layer, -distance), Q_gram);
    grams.B_norm[indexOf(Q)] = grams.B_norm[indexOf(K)] =
        normOfProduct(Q_gram.matrix(), grams.H[indexOf(Q)].matrix(), weights.spec().d_model);
    return grams;
}

/// The columns of W_QKV by which B of a head reads the residual stream.
std::size_t firstColumn(const ModelSpec& spec, CompositionKind kind, LayerHead head) {
    const std::size_t kv_place = spec.kvPlace(head);
    switch (kind) {
    case CompositionKind::Q:
        return spec.headPlace(head) * spec.d_head;
    case CompositionKind::K:
        return spec.queryWidth(head.layer) + kv_place * spec.d_head;
    case CompositionKind::V:
        break;
    }
    return spec.queryWidth(head.layer) + spec.keyWidth(head.layer) + kv_place * spec.valueDim();
}

/// With A = L_A · R_A, B = L_B · R_B and M = R_A · L_B [d_head_v of A, width of B]:
/// ‖A · B‖²_F = Σ (L_Aᵀ L_A · M) ⊙ (M · R_B R_Bᵀ), where M of all heads of a later layer and all
/// kinds is one product.
class AllPairs {
public:
    AllPairs(const FoldedWeights& weights, std::optional<Offset> offset,
             const std::stop_token& stop)
        : weights_(weights), spec_(weights.spec()), grams_(headIndex(spec_)) {
        parallelFor(grams_.size(), [&](std::size_t place, std::size_t) {
            const LayerHead head = grams_.heads().at(place);
            if (!stop.stop_requested())
                grams_[head] = gramsOf(weights, head, offset);
        });
    }

    /// Scores one head with all heads of a later layer, which read by `W_QKV`.
    void scoreHead(LayerHead from, std::size_t to_layer, MatrixView W_QKV,
                   CompositionScores& scores) const {
        const HeadGrams& a = grams_[from];
        if (spec_.headsIn(to_layer) == 0)
            return;
        Tensor M = Tensor::uninitialised({spec_.valueDim(), W_QKV.cols});
        multiply(weights_.outputWeights(from).matrix(), W_QKV, M.matrix());
        Tensor GM = Tensor::uninitialised(M.shape());
        multiply(a.G.matrix(), M.matrix(), GM.matrix());
        for (std::size_t place = 0; place < spec_.headsIn(to_layer); ++place) {
            const LayerHead to = spec_.headAt(to_layer, place);
            for (const CompositionKind kind : kCompositionKinds)
                scores.scores[indexOf(kind)](scores.heads.placeOf(from), scores.heads.placeOf(to)) =
                    scoreOf(a, grams_[to], kind, partOf(M, kind, to), partOf(GM, kind, to));
        }
    }

private:
    /// The columns by which B of a head reads the residual stream.
    MatrixView partOf(const Tensor& M, CompositionKind kind, LayerHead head) const {
        return M.matrix().colRange(firstColumn(spec_, kind, head),
                                   kind == CompositionKind::V ? spec_.valueDim() : spec_.d_head);
    }

    static float scoreOf(const HeadGrams& a, const HeadGrams& b, CompositionKind kind, MatrixView M,
                         MatrixView GM) {
        const Tensor& H = b.H[indexOf(kind)];
        if (H.empty())
            return kUndefined;
        Tensor MH = Tensor::uninitialised({M.rows, M.cols});
        multiply(M, H.matrix(), MH.matrix());
        const double norm = rootOf(elementwiseSum(GM, MH.matrix()));
        return static_cast<float>(norm / (a.ov_norm * b.B_norm[indexOf(kind)]));
    }

    const FoldedWeights& weights_;
    const ModelSpec& spec_;
    PerHead<HeadGrams> grams_;
};

Tensor randomMatrix(Random& random, std::size_t rows, std::size_t cols) {
    constexpr std::size_t kSteps = 1u << 20;
    Tensor matrix = Tensor::uninitialised({rows, cols});
    for (float& value : matrix.values())
        value = 2.0f * static_cast<float>(random.below(kSteps)) / static_cast<float>(kSteps) - 1.0f;
    return matrix;
}

} // namespace

std::string_view compositionKindName(CompositionKind kind) {
    static constexpr std::array<std::string_view, 3> names{"Q", "K", "V"};
    return names[indexOf(kind)];
}

std::string_view compositionKindKey(CompositionKind kind) {
    static constexpr std::array<std::string_view, 3> keys{"q", "k", "v"};
    return keys[indexOf(kind)];
}

double compositionScore(const FactoredMatrix& a, const FactoredMatrix& b) {
    FactoredMatrix ab{Tensor::uninitialised({a.left.dim(0), b.left.dim(1)}), b.right};
    Tensor M = Tensor::uninitialised({a.right.dim(0), b.left.dim(1)});
    multiply(a.right.matrix(), b.left.matrix(), M.matrix());
    multiply(a.left.matrix(), M.matrix(), ab.left.matrix());
    const auto norm = [](const FactoredMatrix& matrix) {
        return normOfProduct(columnGram(matrix.left.matrix()).matrix(),
                             rowGram(matrix.right.matrix()).matrix(), matrix.left.dim(0));
    };
    return frobeniusNorm(ab) / (norm(a) * norm(b));
}

double compositionBaseline(std::size_t d_model, std::size_t d_head, std::uint64_t seed) {
    constexpr std::size_t kPairs = 32;
    Random random(seed);
    double sum = 0.0;
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
        const FactoredMatrix a{randomMatrix(random, d_model, d_head),
                               randomMatrix(random, d_head, d_model)};
        const FactoredMatrix b{randomMatrix(random, d_model, d_head),
                               randomMatrix(random, d_head, d_model)};
        sum += compositionScore(a, b);
    }
    return sum / kPairs;
}

double CompositionScores::at(CompositionKind kind, LayerHead from, LayerHead to) const {
    return static_cast<double>(scores[indexOf(kind)](heads.placeOf(from), heads.placeOf(to)));
}

Result<CompositionScores> compositionScores(const FoldedWeights& weights,
                                            std::optional<Offset> offset, const Progress& progress,
                                            const std::stop_token& stop) {
    const ModelSpec& spec = weights.spec();
    if (offset)
        if (auto checked = checkOffset(spec, offset); !checked)
            return checked.error();
    CompositionScores scores;
    scores.heads = HeadIndex(spec.n_layers, spec.n_heads);
    if (spec.positions == PositionKind::Rotary)
        scores.offset = offset;
    scores.scores.fill(Tensor({scores.heads.size(), scores.heads.size()}, kUndefined));
    scores.baseline = compositionBaseline(spec.d_model, spec.d_head);
    const AllPairs pairs(weights, offset, stop);
    const std::size_t layer_pairs = spec.n_layers * (spec.n_layers - 1) / 2;
    std::size_t done = 0;
    for (std::size_t to = 1; to < spec.n_layers; ++to) {
        const Tensor W_QKV = weights.inputWeights(to);
        for (std::size_t from = 0; from < to; ++from) {
            parallelFor(spec.headsIn(from), [&](std::size_t place, std::size_t) {
                if (!stop.stop_requested())
                    pairs.scoreHead(spec.headAt(from, place), to, W_QKV.matrix(), scores);
            });
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled, "The composition scores were stopped."};
            report(progress, static_cast<double>(++done) / static_cast<double>(layer_pairs),
                   "composition of layer " + std::to_string(to));
        }
    }
    return scores;
}

std::vector<CompositionEdge> strongestEdges(const CompositionScores& scores, std::size_t n,
                                            std::optional<CompositionKind> only) {
    std::vector<CompositionEdge> edges;
    const HeadIndex& heads = scores.heads;
    edges.reserve(3 * heads.size() * heads.size() / 2);
    for (const CompositionKind kind : kCompositionKinds) {
        if (only && kind != *only)
            continue;
        for (std::size_t i = 0; i < heads.size(); ++i) {
            const LayerHead from = heads.at(i);
            for (std::size_t j = i + 1; j < heads.size(); ++j) {
                const LayerHead to = heads.at(j);
                const double score = scores.at(kind, from, to);
                if (!std::isnan(score))
                    edges.push_back({kind, from, to, score, score - scores.baseline});
            }
        }
    }
    const std::size_t kept = std::min(n, edges.size());
    std::ranges::partial_sort(edges, edges.begin() + static_cast<std::ptrdiff_t>(kept),
                              [](const CompositionEdge& a, const CompositionEdge& b) {
                                  if (a.score != b.score)
                                      return a.score > b.score;
                                  return std::tie(a.kind, a.from, a.to) <
                                         std::tie(b.kind, b.from, b.to);
                              });
    edges.resize(kept);
    return edges;
}

} // namespace headscope

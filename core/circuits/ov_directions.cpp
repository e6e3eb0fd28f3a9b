#include "core/circuits/ov_directions.h"

#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"
#include "core/tensor/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope {

namespace {

/// W_V = U₁ S₁ V₁ᵀ and W_O = U₂ S₂ V₂ᵀ, so that W_OV = U₁ (S₁ V₁ᵀ U₂ S₂) V₂ᵀ: what is decomposed
/// a third time is only [d_head, d_head].
Result<ThinSvd> svdOfOv(MatrixView W_V, MatrixView W_O) {
    const auto v = thinSvd(W_V);
    if (!v)
        return v.error();
    const auto o = thinSvd(W_O);
    if (!o)
        return o.error();
    Tensor middle = Tensor::uninitialised({v->S.size(), o->S.size()});
    multiply(v->Vt.matrix(), o->U.matrix(), middle.matrix());
    for (std::size_t r = 0; r < middle.dim(0); ++r)
        for (std::size_t c = 0; c < middle.dim(1); ++c)
            middle(r, c) *= static_cast<float>(v->S[r] * o->S[c]);
    auto inner = thinSvd(middle.matrix());
    if (!inner)
        return inner.error();
    ThinSvd svd{Tensor::uninitialised({W_V.rows, inner->S.size()}), inner->S,
                Tensor::uninitialised({inner->S.size(), W_O.cols})};
    multiply(v->U.matrix(), inner->U.matrix(), svd.U.matrix());
    multiply(inner->Vt.matrix(), o->Vt.matrix(), svd.Vt.matrix());
    return svd;
}

/// The largest values[·, column] · sign.
std::vector<TokenAlong> largest(const Tensor& values, std::size_t column, double sign,
                                std::size_t count) {
    std::vector<TokenAlong> readings(values.dim(0));
    for (std::size_t token = 0; token < readings.size(); ++token)
        readings[token] = {static_cast<TokenId>(token),
                           sign * static_cast<double>(values(token, column))};
    const std::size_t kept = std::min(count, readings.size());
    std::ranges::partial_sort(readings, readings.begin() + static_cast<std::ptrdiff_t>(kept),
                              [](const TokenAlong& a, const TokenAlong& b) {
                                  return a.value > b.value ||
                                         (a.value == b.value && a.token < b.token);
                              });
    readings.resize(kept);
    return readings;
}

double signOfLargest(const Tensor& values, std::size_t column) {
    float furthest = 0.0f;
    for (std::size_t token = 0; token < values.dim(0); ++token)
        if (std::abs(values(token, column)) > std::abs(furthest))
            furthest = values(token, column);
    return furthest < 0.0f ? -1.0 : 1.0;
}

} // namespace

Result<std::vector<OvDirection>> ovDirections(const FoldedWeights& weights, LayerHead head,
                                              std::size_t directions, std::size_t tokens) {
    const auto svd =
        svdOfOv(weights.valueWeights(head).matrix(), weights.outputWeights(head).matrix());
    if (!svd)
        return svd.error();
    const std::size_t count = std::min(directions, svd->S.size());
    Tensor reads({weights.W_E.empty() ? 0 : weights.W_E.dim(0), count});
    if (!weights.W_E.empty())
        multiply(weights.W_E.matrix(), svd->U.matrix().colRange(0, count), reads.matrix());
    Tensor writes({weights.W_U.empty() ? 0 : weights.W_U.dim(0), count});
    if (!weights.W_U.empty())
        multiplyTransposed(1.0f, weights.W_U.matrix(), svd->Vt.matrix().rowRange(0, count),
                           writes.matrix());
    if (!allFinite(reads.matrix()) || !allFinite(writes.matrix()))
        return Error{ErrorCode::InvalidArgument,
                     "The embedding holds NaN, so that nothing can be read through it."};
    std::vector<OvDirection> found;
    found.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double sign = signOfLargest(weights.W_E.empty() ? writes : reads, i);
        found.push_back(
            {svd->S[i], largest(reads, i, sign, tokens), largest(writes, i, sign, tokens)});
    }
    return found;
}

} // namespace headscope

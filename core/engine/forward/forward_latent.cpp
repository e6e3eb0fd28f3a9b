// Queries, keys and values through latent vectors: ModelSpec::latent.

#include "core/engine/forward/forward.h"
#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <array>
#include <string>

namespace headscope {

/// c = norm(x W_DKV + b), v = c W_UV, and of each head k = [x W_KR + b, c W_UK].
void Forward::projectThroughLatents(std::size_t layer) {
    const LatentWeights& weights = weights_.layers[layer].attn.latent;
    projectQueriesThroughLatent(layer);
    const MutableMatrixView kv = latentRows(spec_.latent->d_kv);
    project(rows(input_), weights.W_DKV.matrix(), weights.b_DKV.values(), kv);
    fire({HookKind::KvLatent, layer}, kv);
    normalise(spec_.latent->norm(), weights.kv_norm,
              {{HookKind::KvLatentScale, layer},
               {HookKind::KvLatentNormalized, layer},
               {HookKind::KvLatentOut, layer}},
              kv);
    const std::size_t own = spec_.ownKeyDim();
    for (std::size_t head = 0; head < spec_.headsIn(layer); ++head)
        project(kv, weights.W_UK.matrix().colRange(head * own, own), {},
                keys(layer).colRange(head * spec_.d_head + spec_.latent->d_shared, own));
    project(kv, weights.W_UV.matrix(), {}, values(layer));
    projectSharedKeys(layer);
}

/// q = norm(x W_DQ + b) W_UQ, or x W_UQ.
void Forward::projectQueriesThroughLatent(std::size_t layer) {
    const LatentWeights& weights = weights_.layers[layer].attn.latent;
    if (spec_.latent->d_queries == 0)
        return project(rows(input_), weights.W_UQ.matrix(), {}, queries(layer));
    const MutableMatrixView latent = latentRows(spec_.latent->d_queries);
    project(rows(input_), weights.W_DQ.matrix(), weights.b_DQ.values(), latent);
    fire({HookKind::QLatent, layer}, latent);
    normalise(spec_.latent->norm(), weights.q_norm,
              {{HookKind::QLatentScale, layer},
               {HookKind::QLatentNormalized, layer},
               {HookKind::QLatentOut, layer}},
              latent);
    project(latent, weights.W_UQ.matrix(), {}, queries(layer));
}

/// The leading dimensions of the keys of the first head, and their copies in all others.
void Forward::projectSharedKeys(std::size_t layer) {
    const LatentWeights& weights = weights_.layers[layer].attn.latent;
    const std::size_t shared = spec_.latent->d_shared;
    project(rows(input_), weights.W_KR.matrix(), weights.b_KR.values(),
            keys(layer).colRange(0, shared));
    parallelRows(rows_, spec_.keyWidth(layer), [&](RowRange range) {
        for (std::size_t t = range.begin; t < range.begin + range.count; ++t)
            for (std::size_t head = 1; head < spec_.headsIn(layer); ++head)
                std::copy_n(keys(layer).row(t), shared, keys(layer).row(t) + head * spec_.d_head);
    });
}

/// Queries, keys or values of one head of x [T, d_model], which no other head reads. `out` has the
/// columns of all heads.
void Forward::projectOfHead(HookPoint input, std::size_t place, MatrixView x,
                            MutableMatrixView out) {
    const LatentWeights& weights = weights_.layers[input.layer].attn.latent;
    const auto ofHead = [place](const WeightTensor& W, std::size_t width) {
        return W.matrix().colRange(place * width, width);
    };
    if (input.kind == HookKind::QInput) {
        const MatrixView read = spec_.latent->d_queries == 0
                                    ? x
                                    : latentOfHead(x, weights.W_DQ, weights.b_DQ, weights.q_norm);
        return multiply(read, ofHead(weights.W_UQ, spec_.d_head),
                        out.colRange(place * spec_.d_head, spec_.d_head));
    }
    const MatrixView kv = latentOfHead(x, weights.W_DKV, weights.b_DKV, weights.kv_norm);
    if (input.kind == HookKind::VInput)
        return multiply(kv, ofHead(weights.W_UV, spec_.valueDim()),
                        out.colRange(place * spec_.valueDim(), spec_.valueDim()));
    const std::size_t shared = spec_.latent->d_shared;
    const MutableMatrixView key = out.colRange(place * spec_.d_head, spec_.d_head);
    multiply(x, weights.W_KR.matrix(), key.colRange(0, shared));
    addBias(key.colRange(0, shared), weights.b_KR.values());
    multiply(kv, ofHead(weights.W_UK, spec_.ownKeyDim()), key.colRange(shared, spec_.ownKeyDim()));
}

/// norm(x W + b) in the workspace, where no hook sees it.
MatrixView Forward::latentOfHead(MatrixView x, const WeightTensor& W, const Tensor& bias,
                                 const NormWeights& norm) {
    const MutableMatrixView latent = latentRows(W.dim(1));
    multiply(x, W.matrix(), latent);
    addBias(latent, bias.values());
    scale_.resize(rows_);
    rmsOfRows(latent, spec_.latent->eps, scale_);
    divideRows(latent, scale_);
    scaleAndShift(latent, norm.weight.values(), {});
    return latent;
}

/// Heads that read copies of the residual stream have latents of their own.
void Forward::refuseLatentHooks(std::size_t layer) {
    constexpr std::array latents{HookKind::QLatent,
                                 HookKind::QLatentScale,
                                 HookKind::QLatentNormalized,
                                 HookKind::QLatentOut,
                                 HookKind::KvLatent,
                                 HookKind::KvLatentScale,
                                 HookKind::KvLatentNormalized,
                                 HookKind::KvLatentOut};
    if (wantsAny(latents, layer))
        refusal_ = Error{ErrorCode::InvalidArgument,
                         "Hooks look at what single heads of layer " + std::to_string(layer) +
                             " read, so that each head has a latent vector of its own, and at the "
                             "one that all heads share; ask for both in two runs."};
}

} // namespace headscope

// The reverse of queries, keys and values through latent vectors: ModelSpec::latent.

#include "core/engine/backward/backward_pass.h"
#include "core/tensor/gemm.h"

namespace headscope {

/// In place, d [T, width of the latent]: of what the norm of a latent gives on entry, of the latent
/// on return.
void Backward::throughLatentNorm(HookKind kind, std::size_t layer, bool fires,
                                 MutableMatrixView d) {
    const LatentWeights& weights = weights_.layers[layer].attn.latent;
    const bool of_queries = kind == HookKind::QLatent;
    std::optional<NormPoints> points;
    if (fires && of_queries)
        points = NormPoints{{HookKind::QLatentScale, layer},
                            {HookKind::QLatentNormalized, layer},
                            {HookKind::QLatentOut, layer}};
    else if (fires)
        points = NormPoints{{HookKind::KvLatentScale, layer},
                            {HookKind::KvLatentNormalized, layer},
                            {HookKind::KvLatentOut, layer}};
    normalise(spec_.latent->norm(), of_queries ? weights.q_norm : weights.kv_norm, points,
              value(kind, layer).matrix(), d);
    if (fires)
        fire({kind, layer}, d);
}

/// d_qkv_ → d_attn_in_
void Backward::latents(std::size_t layer) {
    const LatentWeights& weights = weights_.layers[layer].attn.latent;
    const std::size_t shared = spec_.latent->d_shared;
    const std::size_t own = spec_.ownKeyDim();
    Tensor d_kv({positions_, spec_.latent->d_kv});
    Tensor d_shared({positions_, shared});
    project(values(layer), weights.W_UV, d_kv.matrix());
    for (std::size_t head = 0; head < spec_.headsIn(layer); ++head) {
        const MatrixView d_k = keys(layer).colRange(head * spec_.d_head, spec_.d_head);
        multiplyTransposedAdd(d_k.colRange(shared, own),
                              weights.W_UK.matrix().colRange(head * own, own), d_kv.matrix());
        addInto(d_shared.matrix(), d_k.colRange(0, shared));
    }
    throughLatentNorm(HookKind::KvLatent, layer, true, d_kv.matrix());
    queryLatent(layer);
    projectAdd(d_kv.matrix(), weights.W_DKV, d_attn_in_.matrix());
    projectAdd(d_shared.matrix(), weights.W_KR, d_attn_in_.matrix());
}

/// The gradient of queries → d_attn_in_
void Backward::queryLatent(std::size_t layer) {
    const LatentWeights& weights = weights_.layers[layer].attn.latent;
    if (spec_.latent->d_queries == 0)
        return project(queries(layer), weights.W_UQ, d_attn_in_.matrix());
    Tensor d_latent({positions_, spec_.latent->d_queries});
    project(queries(layer), weights.W_UQ, d_latent.matrix());
    throughLatentNorm(HookKind::QLatent, layer, true, d_latent.matrix());
    project(d_latent.matrix(), weights.W_DQ, d_attn_in_.matrix());
}

/// The gradient d of one head's queries, keys or values → that of what this head alone reads for
/// them, d_x [T, d_model], overwritten.
void Backward::splitThroughLatent(HookPoint input, std::size_t place, MatrixView d,
                                  MutableMatrixView d_x) {
    const LatentWeights& weights = weights_.layers[input.layer].attn.latent;
    const bool of_queries = input.kind == HookKind::QInput;
    const bool of_keys = input.kind == HookKind::KInput;
    const std::size_t shared = of_keys ? spec_.latent->d_shared : 0;
    const std::size_t width = d.cols - shared;
    const WeightTensor& W_up = of_queries ? weights.W_UQ : (of_keys ? weights.W_UK : weights.W_UV);
    const WeightMatrix up = W_up.matrix().colRange(place * width, width);
    if (of_queries && spec_.latent->d_queries == 0)
        return multiplyTransposed(1.0f, d, up, d_x);
    Tensor d_latent({positions_, up.rows});
    multiplyTransposed(1.0f, d.colRange(shared, width), up, d_latent.matrix());
    throughLatentNorm(of_queries ? HookKind::QLatent : HookKind::KvLatent, input.layer, false,
                      d_latent.matrix());
    multiplyTransposed(1.0f, d_latent.matrix(),
                       (of_queries ? weights.W_DQ : weights.W_DKV).matrix(), d_x);
    if (of_keys)
        multiplyTransposedAdd(d.colRange(0, shared), weights.W_KR.matrix(), d_x);
}

} // namespace headscope

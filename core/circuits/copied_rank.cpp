#include "core/circuits/copied_rank.h"

#include "core/engine/engine.h"
#include "core/model/model.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <span>
#include <utility>

namespace headscope {

namespace {

/// What every head writes for one token [place of head, d_model], when all layers but the
/// first read what the first block left.
Result<Tensor> writtenForToken(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                               std::size_t position, const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    const HeadIndex heads = headIndex(spec);
    Tensor written({heads.size(), spec.d_model});
    std::vector<float> behind_first_block(spec.d_model); // at this position
    HookSet hooks;
    for (std::size_t layer = 1; layer < spec.n_layers; ++layer)
        hooks.edit(HookPoint{HookKind::ResidPre, layer},
                   [&](HookPoint point, const MutableTensorView& stream) {
                       for (std::size_t i = 0; i < spec.d_model; ++i) {
                           if (point.layer == 1)
                               behind_first_block[i] = stream(position, i);
                           else
                               stream(position, i) = behind_first_block[i];
                       }
                   });
    hooks.observe(HookKind::V, [&](HookPoint point, const TensorView& v) {
        const WeightMatrix W_O = model->weights.layers[point.layer].attn.W_O.matrix();
        for (std::size_t place = 0; place < spec.headsIn(point.layer); ++place) {
            const LayerHead head = spec.headAt(point.layer, place);
            const float* const value =
                v.data + position * v.strides[0] + spec.kvPlace(head) * v.strides[1];
            multiply({value, 1, spec.valueDim(), spec.valueDim()},
                     W_O.rowRange(place * spec.valueDim(), spec.valueDim()),
                     written.matrix().rowRange(heads.placeOf(head), 1));
        }
    });
    Request request;
    request.logits = false;
    request.keep_attention = false;
    const auto run = runModel(model, ids, request, hooks, stop);
    if (!run)
        return run.error();
    return written;
}

/// The logits that final norm and unembedding make of residual streams [row, d_model]; as many rows
/// as the context has positions, at most.
Result<Tensor> unembedded(const std::shared_ptr<const Model>& model, Tensor rows,
                          const std::stop_token& stop) {
    RunItem item;
    item.ids.assign(rows.dim(0), 0); // what they are is not read
    item.resid_pre = std::make_shared<const Tensor>(std::move(rows));
    Request request;
    request.first_layer = model->spec.n_layers;
    request.keep_attention = false;
    auto runs = runBatch(model, {&item, 1}, request, stop);
    if (!runs)
        return runs.error();
    return runs->front()->logits;
}

CopiedRank ranksOf(std::size_t token, std::span<const float> logits,
                   std::span<const float> of_nothing) {
    // Behind a norm logits are linear: those of −x are 2 · those of 0 − those of x.
    const auto negated = [&](std::size_t id) { return 2.0f * of_nothing[id] - logits[id]; };
    CopiedRank rank{0, 0};
    for (std::size_t id = 0; id < logits.size(); ++id) { // the token itself counts
        rank.written += logits[id] >= logits[token] ? 1 : 0;
        rank.negated += negated(id) >= negated(token) ? 1 : 0;
    }
    return rank;
}

} // namespace

Result<PerHead<CopiedRank>> copiedRanks(const std::shared_ptr<const Model>& model,
                                        const TokenIds& ids, std::size_t position,
                                        const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    if (spec.output == OutputHead::None)
        return Error{ErrorCode::Unsupported,
                     "This model has no unembedding, so its heads copy no token."};
    if (!spec.predictsTokens())
        return Error{ErrorCode::Unsupported,
                     "The logits of this model are of classes, so its heads copy no token."};
    const auto written = writtenForToken(model, ids, position, stop);
    if (!written)
        return written.error();
    const auto of_nothing = unembedded(model, Tensor({1, spec.d_model}), stop);
    if (!of_nothing)
        return of_nothing.error();

    const auto token = static_cast<std::size_t>(ids[position]);
    const std::size_t heads = written->dim(0);
    std::vector<CopiedRank> ranks;
    ranks.reserve(heads);
    for (std::size_t begin = 0; begin < heads; begin += spec.n_ctx) {
        const std::size_t count = std::min(spec.n_ctx, heads - begin);
        Tensor rows = Tensor::uninitialised({count, spec.d_model});
        std::copy_n(written->matrix().row(begin), rows.size(), rows.data());
        const auto logits = unembedded(model, std::move(rows), stop);
        if (!logits)
            return logits.error();
        for (std::size_t row = 0; row < count; ++row)
            ranks.push_back(ranksOf(token, {logits->matrix().row(row), spec.d_vocab},
                                    {of_nothing->matrix().row(0), spec.d_vocab}));
    }
    return PerHead(headIndex(spec), std::move(ranks));
}

} // namespace headscope

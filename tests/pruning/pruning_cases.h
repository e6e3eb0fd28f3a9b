#pragma once

#include "core/base/random.h"
#include "core/engine/engine.h"
#include "core/pruning/passages.h"
#include "core/pruning/smaller_model.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"

#include <memory>

namespace headscope::test {

inline const TokenIds kPruningIds{5, 17, 3, 22, 5, 17, 9, 26, 13};

/// All heads of the first layer, and the second to last head of the last.
inline HeadSet firstLayerAndOneMore(const ModelSpec& spec) {
    HeadSet heads;
    for (std::size_t head = 0; head < spec.headsIn(0); ++head)
        heads.push_back({0, head});
    heads.push_back({spec.n_layers - 1, spec.headsIn(spec.n_layers - 1) - 2});
    return heads;
}

/// Logits, or the last residual of a network without.
inline Tensor outputs(const std::shared_ptr<const Model>& model, const HeadSet& at_zero = {}) {
    HeadMask mask;
    for (const LayerHead head : at_zero)
        mask.set(head, AblationKind::Zero);
    HookSet hooks;
    addAblation(hooks, mask, model->spec);
    const HookPoint last{HookKind::ResidPost, model->spec.n_layers - 1};
    const bool has_logits = model->spec.output != OutputHead::None;
    if (!has_logits)
        hooks.capture(last);
    const auto run = require(runModel(model, kPruningIds, {}, hooks));
    return has_logits ? run->logits : run->captured.at(last);
}

/// A fixture; one that reads to both sides with a mask token to predict at.
inline std::shared_ptr<const Model> predictingFixture(const std::string& name) {
    auto model = std::make_shared<Model>(*loadFixture(name));
    if (!model->spec.causal)
        model->spec.mask_token = 1;
    return model;
}

/// A GPT-2 whose values of some heads are the same for all tokens: their z is b_V, times the sum of
/// a row of the pattern, which is 1 but for rounding.
inline std::shared_ptr<const Model> withConstantHeads(const HeadSet& constant) {
    auto model = std::make_shared<Model>(*loadFixture("gpt2"));
    const ModelSpec& spec = model->spec;
    for (const LayerHead head : constant) {
        AttentionWeights& attn = model->weights.layers[head.layer].attn;
        const std::size_t first = 2 * spec.queryWidth() + head.head * spec.d_head;
        for (std::size_t d = 0; d < spec.d_head; ++d) {
            attn.b_QKV(first + d) = 1.0f / static_cast<float>(3 + d);
            for (std::size_t r = 0; r < spec.d_model; ++r)
                attn.W_QKV.floats()(r, first + d) = 0.0f;
        }
    }
    return model;
}

/// Passages of random tokens; those of one seed are the same.
inline PassageSet randomPassages(const Model& model, std::size_t passages, std::size_t length,
                                 std::uint64_t seed) {
    Random random(seed);
    std::vector<TokenIds> prompts(passages);
    for (TokenIds& ids : prompts)
        for (std::size_t i = 0; i < length; ++i)
            ids.push_back(static_cast<TokenId>(random.below(model.spec.d_vocab)));
    return require(passagesFromIds(model, prompts, "random tokens", {length + 1, 100'000, seed}));
}

/// z [position, head, d_head] of one layer in all passages, one under another, as rows of doubles.
inline std::vector<std::vector<double>> rowsOfZ(const std::shared_ptr<const Model>& model,
                                                const PassageSet& text, std::size_t layer) {
    std::vector<std::vector<double>> rows;
    for (const Passage& passage : text.passages) {
        HookSet hooks;
        hooks.capture(HookPoint{HookKind::Z, layer});
        const auto run = require(runModel(model, passage.ids, {}, hooks));
        const Tensor& z = run->captured.at({HookKind::Z, layer});
        const std::size_t width = z.dim(1) * z.dim(2);
        for (std::size_t t = 0; t < z.dim(0); ++t)
            rows.emplace_back(z.data() + t * width, z.data() + (t + 1) * width);
    }
    return rows;
}

} // namespace headscope::test

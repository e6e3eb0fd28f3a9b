#pragma once

#include "core/engine/engine.h"
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
    addAblation(hooks, mask);
    const HookPoint last{HookKind::ResidPost, model->spec.n_layers - 1};
    const bool has_logits = model->spec.output != OutputHead::None;
    if (!has_logits)
        hooks.capture(last);
    const auto run = require(runModel(model, kPruningIds, {}, hooks));
    return has_logits ? run->logits : run->captured.at(last);
}

} // namespace headscope::test

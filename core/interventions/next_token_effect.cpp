#include "core/interventions/next_token_effect.h"

#include "core/engine/engine.h"
#include "core/engine/loss.h"

#include <array>
#include <span>

namespace headscope {

Result<std::optional<NextTokenEffect>>
nextTokenEffect(const std::shared_ptr<const Model>& model, const InputSequence& sequence,
                std::size_t query, LayerHead head, AblationKind kind, const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    HeadMask mask;
    mask.set(head, kind);
    if (const auto possible = checkWithoutStandIns(mask); !possible)
        return possible.error();
    if (!spec.predictsNextToken() || query + 1 >= sequence.ids.size())
        return std::optional<NextTokenEffect>();
    const TokenId next = sequence.ids[query + 1];
    NextTokenEffect effect;
    const auto reading = [&](double& loss) {
        RunItem item;
        item.ids = sequence.ids;
        item.read_logits = [&loss, next](std::size_t, std::span<const float> row) {
            loss = tokenLoss(row, next);
        };
        return item;
    };
    std::array<RunItem, 2> items{reading(effect.loss), reading(effect.ablated)};
    addAblation(items[1].hooks, mask, spec);
    Request request;
    request.logits = false;
    request.logit_positions = {query};
    request.keep_attention = false;
    if (const auto runs = runBatch(model, items, request, stop); !runs)
        return runs.error();
    return std::optional(effect);
}

} // namespace headscope

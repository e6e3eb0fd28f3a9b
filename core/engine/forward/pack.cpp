#include "core/engine/forward/pack.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

/// Hooks see all positions or none, and known ones are not run.
Result<void> checkHooksBehindKnown(const ModelSpec& spec, const RunItem& item,
                                   const HookDispatch& hooks) {
    constexpr std::array whole{HookKind::V, HookKind::AttnScores, HookKind::Pattern, HookKind::Z};
    if (!item.known.run)
        return {};
    const auto refused = [&](HookPoint point, std::string_view what) {
        return Error{ErrorCode::InvalidArgument,
                     "A hook " + std::string(what) + " '" + hookName(spec, point) +
                         "' of a prompt whose start is known; run the whole prompt."};
    };
    if (const auto other = hooks.firstBeside(whole))
        return refused(*other, "looks at");
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (hooks.edits({HookKind::V, layer}))
            return refused({HookKind::V, layer}, "edits");
    return {};
}

} // namespace

RunExtent extentOf(const ModelSpec& spec, const RunItem& item, const Request& request) {
    RunExtent extent;
    extent.first_layer = request.first_layer;
    extent.end_layer = request.layers.value_or(spec.n_layers);
    extent.starts_at_z = item.z != nullptr;
    // A network without logits ends with its final norm.
    extent.ends = request.logits || item.read_logits ||
                  (spec.output == OutputHead::None && extent.end_layer == spec.n_layers);
    return extent;
}

Result<std::vector<PackedPrompt>> pack(const std::shared_ptr<const Model>& model,
                                       std::span<const RunItem> items, const Request& request) {
    std::vector<PackedPrompt> prompts;
    std::size_t row = 0;
    for (const RunItem& item : items) {
        auto hooks =
            HookDispatch::make(model->spec, item.hooks, extentOf(model->spec, item, request));
        if (!hooks)
            return hooks.error();
        if (auto seen = checkHooksBehindKnown(model->spec, item, *hooks); !seen)
            return seen.error();
        auto run = std::make_shared<Run>();
        run->model = model;
        run->ids = item.ids;
        const PositionRange rows{row, row + item.ids.size() - item.known.positions};
        prompts.push_back({&item, *std::move(hooks), std::move(run), rows, nullptr, {}, {}});
        row = rows.end;
    }
    return prompts;
}

} // namespace headscope

#include "core/engine/forward/prepare.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/engine/run_memory.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

Error invalid(std::string message) {
    return {ErrorCode::InvalidArgument, std::move(message)};
}

Result<void> checkLength(const Model& model, std::size_t positions, bool beyond_context) {
    const ModelSpec& spec = model.spec;
    if (positions == 0)
        return invalid("The prompt has no tokens; type at least one token to run " + model.name +
                       ".");
    if (positions <= spec.n_ctx)
        return {};
    const std::string too_long = "The prompt has " + std::to_string(positions) + " tokens but " +
                                 model.name + " was built for " + std::to_string(spec.n_ctx);
    if (!beyond_context)
        return Error{ErrorCode::TooLarge, too_long + "; shorten it."};
    if (spec.hasPositionTable())
        return Error{ErrorCode::TooLarge,
                     too_long + ", and its learned positions end there; shorten it."};
    return {};
}

Result<void> checkIds(const Model& model, const TokenIds& ids) {
    const std::size_t d_vocab = model.spec.d_vocab;
    const auto outside = std::ranges::find_if(
        ids, [&](TokenId id) { return id < 0 || static_cast<std::size_t>(id) >= d_vocab; });
    if (outside == ids.end())
        return {};
    return invalid("Token id " + idAndToken(model, *outside) + " at position " +
                   std::to_string(outside - ids.begin()) + " is outside the vocabulary of " +
                   model.name + ", which has ids 0 to " + std::to_string(d_vocab - 1) + ".");
}

Result<void> checkLayers(const Model& model, const Request& request) {
    const std::size_t n_layers = model.spec.n_layers;
    if (request.layers && *request.layers > n_layers)
        return invalid("A run of " + std::to_string(*request.layers) +
                       " layers was asked for, but " + model.name + " has " +
                       std::to_string(n_layers) + ".");
    const std::size_t end = request.layers.value_or(n_layers);
    const bool only_unembeds = request.first_layer == n_layers && end == n_layers;
    if (request.first_layer != 0 && request.first_layer >= end && !only_unembeds)
        return invalid("A run from layer " + std::to_string(request.first_layer) +
                       " on was asked for, but it ends before that layer.");
    return {};
}

/// `given` is what the prompt brings along in place of computing it.
Result<void> checkGiven(const std::shared_ptr<const Tensor>& given, const std::string& name,
                        const Shape& expected) {
    if (given && given->shape() != expected)
        return Error{ErrorCode::Mismatch, "The " + name + " that the run shall begin with is " +
                                              shapeText(given->shape()) +
                                              ", but this prompt needs " + shapeText(expected) +
                                              "."};
    return {};
}

Result<void> checkStart(const ModelSpec& spec, const RunItem& item, const Request& request,
                        bool batch_has_z) {
    const std::size_t positions = item.ids.size();
    if (!item.resid_pre && (request.first_layer > 0 || item.z))
        return invalid("A run that begins with layer " + std::to_string(request.first_layer) +
                       " needs the residual stream that enters it (resid_pre).");
    if ((item.z != nullptr) != batch_has_z)
        return invalid("Some prompts of the batch bring the z of their first layer along and some "
                       "do not; run them apart.");
    if (auto checked = checkGiven(item.resid_pre, "resid_pre", {positions, spec.d_model}); !checked)
        return checked;
    const std::size_t first_layer = std::min(request.first_layer, spec.n_layers - 1);
    return checkGiven(item.z, "z", {positions, spec.headsIn(first_layer), spec.valueDim()});
}

Result<void> checkFrozen(const Model& model, const RunItem& item, const Request& request) {
    if (!item.frozen_patterns)
        return {};
    const Run& frozen = *item.frozen_patterns;
    if (frozen.model.get() != &model || frozen.positions() != item.ids.size())
        return Error{ErrorCode::Mismatch,
                     "Patterns can only be taken over from a run of the same model and length: "
                     "that run has " +
                         std::to_string(frozen.positions()) + " tokens and this prompt " +
                         std::to_string(item.ids.size()) + "."};
    const std::size_t end = request.layers.value_or(model.spec.n_layers);
    for (std::size_t layer = request.first_layer; layer < end; ++layer) {
        if (layer >= frozen.attention.size() || frozen.attention[layer].q.empty())
            return invalid(
                "The run whose patterns shall be taken over did not keep those of layer " +
                std::to_string(layer) + ".");
        if (!frozen.attention[layer].edited.places.empty())
            return invalid("The patterns of layer " + std::to_string(layer) +
                           " were edited by a hook and cannot be taken over by another run.");
    }
    return {};
}

Result<void> checkEarlier(const Model& model, const RunItem& item, const Request& request) {
    if (!item.earlier)
        return {};
    const KeyValues& earlier = *item.earlier;
    const std::size_t length = earlier.ids.size() + item.ids.size();
    if (earlier.model.get() != &model)
        return Error{ErrorCode::Mismatch, "The keys and values of the tokens before the prompt are "
                                          "of another model."};
    if (!model.spec.causal)
        return invalid(model.name + " reads both ways, so keys and values of earlier tokens change "
                                    "with those that follow; run the whole text.");
    if (request.first_layer != 0 || request.layers || item.resid_pre || item.z ||
        item.frozen_patterns || request.keep_attention)
        return invalid("A prompt that goes on after earlier tokens runs through the whole network "
                       "and keeps no attention.");
    if (length > earlier.room())
        return invalid("There is room for the keys and values of " +
                       std::to_string(earlier.room()) + " tokens, but the text has " +
                       std::to_string(length) + ".");
    if (!earlier.ids.empty() && !keepsKeys(model.spec, earlier.ids.size(), length))
        return invalid("The positions of " + model.name +
                       " are stretched by the length of the "
                       "text, so earlier keys do not hold for " +
                       std::to_string(length) + " tokens; run the whole text.");
    return {};
}

Result<void> checkKnown(const Model& model, const RunItem& item, const Request& request) {
    if (!item.known.run)
        return item.known.positions == 0 ? Result<void>()
                                         : invalid("Positions are known only from a run.");
    if (request.first_layer != 0 || request.layers || item.resid_pre || item.z || item.earlier ||
        item.frozen_patterns || !request.keep_attention || !request.keep_values)
        return invalid("A prompt whose start is known runs through the whole network and keeps "
                       "attention and values.");
    if (request.logits)
        return invalid("Logits of known positions are not computed, so those of the whole prompt "
                       "cannot be kept; read them as they come.");
    return checkKnownStart(item.known, model, item.ids);
}

Result<void> checkLogitPositions(const RunItem& item, const Request& request) {
    const auto& wanted = request.logit_positions;
    if (!std::ranges::is_sorted(wanted))
        return invalid("The positions whose logits are asked for must be in ascending order.");
    if (!wanted.empty() && wanted.front() < item.known.positions)
        return invalid("Logits at position " + std::to_string(wanted.front()) +
                       " were asked for, but the first " + std::to_string(item.known.positions) +
                       " positions are known and not run.");
    if (wanted.empty() || wanted.back() < item.ids.size())
        return {};
    return invalid("Logits at position " + std::to_string(wanted.back()) +
                   " were asked for, but the prompt ends with position " +
                   std::to_string(item.ids.size() - 1) + ".");
}

} // namespace

Result<void> checkRequest(const Model& model, std::span<const RunItem> items,
                          const Request& request) {
    if (auto runnable = checkRunnable(model); !runnable)
        return runnable;
    if (items.empty())
        return invalid("There is no prompt to run.");
    if (auto checked = checkLayers(model, request); !checked)
        return checked;
    for (const RunItem& item : items) {
        const std::size_t earlier = item.earlier ? item.earlier->ids.size() : 0;
        for (auto checked : {checkLength(model, item.ids.empty() ? 0 : earlier + item.ids.size(),
                                         request.beyond_context),
                             checkIds(model, item.ids), checkEarlier(model, item, request),
                             checkStart(model.spec, item, request, items.front().z != nullptr),
                             checkFrozen(model, item, request), checkKnown(model, item, request),
                             checkLogitPositions(item, request)})
            if (!checked)
                return checked;
    }
    return {};
}

Result<void> checkMemory(const Model& model, std::span<const PackedPrompt> prompts,
                         const Request& request) {
    const auto available = availableMemory();
    if (!available)
        return {};
    return checkRunMemory(runMemory(model.spec, prompts, request), prompts.back().rows.end,
                          *available, model.name);
}

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

#include "core/engine/forward/not_finite.h"

#include "core/engine/forward/forward.h"
#include "core/engine/forward/prepare.h"
#include "core/engine/forward/steps.h"
#include "core/engine/hooks/hook_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace headscope {

namespace {

/// Beyond it the patterns of all heads are too much to look at; z shows what they spoil.
constexpr std::size_t kLongestWithPatterns = 1024;
constexpr std::string_view kLogits = "logits";

struct Finding {
    std::string hook;
    std::size_t position = 0;
    bool finite = false; ///< a norm's scale that is too large
};

using Rule = bool (*)(float);

/// Index of the first number that may not be, in the order of the view.
std::optional<std::size_t> firstBad(const Tensor& value, Rule is_good) {
    const auto bad = std::ranges::find_if_not(value.values(), is_good);
    if (bad == value.values().end())
        return std::nullopt;
    return static_cast<std::size_t>(bad - value.values().begin());
}

bool isFiniteOrMasked(float score) {
    return std::isfinite(score) || score == -std::numeric_limits<float>::infinity();
}

bool isFinite(float value) {
    return std::isfinite(value);
}

bool isScale(float value) {
    return std::abs(value) <= kLargestNormScale;
}

/// Scores and patterns are [head, query, key]; all else begins with the position.
bool isSquare(HookKind kind) {
    return hookRow(kind).form == HookForm::Square;
}

/// The residual stream as single heads read it, or what they add to it.
bool isCopyPerHead(HookKind kind) {
    const HookForm form = hookRow(kind).form;
    return form == HookForm::HeadResidual || form == HookForm::KeyValueResidual;
}

/// What the values at a hook point have to be.
Rule ruleAt(HookKind kind) {
    if (isSquare(kind))
        return isFiniteOrMasked;
    const HookForm form = hookRow(kind).form;
    const bool scale = form == HookForm::Scale || form == HookForm::QueryNormScale ||
                       form == HookForm::KeyNormScale;
    return scale ? isScale : isFinite;
}

std::size_t positionOf(const TensorView& value, bool square, std::size_t element) {
    if (square)
        return element / value.shape[2] % value.shape[1];
    return element / (value.size() / value.shape[0]);
}

/// Copies per head exist only in runs that have a hook there.
bool isComputed(const ModelSpec& spec, const RunItem& item, HookPoint point) {
    return !isCopyPerHead(point.kind) ||
           std::ranges::any_of(item.hooks.hooks(), [&](const HookSet::Hook& hook) {
               return hook.where.matches(spec, point);
           });
}

std::optional<Finding> firstFinding(const std::shared_ptr<const Model>& model, RunItem item,
                                    const Request& request) {
    const ModelSpec& spec = model->spec;
    std::mutex mutex;
    std::optional<Finding> found;
    std::stop_source enough;
    const bool patterns = item.ids.size() <= kLongestWithPatterns;
    for (const HookPoint point : reachedPoints(spec, extentOf(spec, item, request))) {
        const bool square = isSquare(point.kind);
        if ((square && !patterns) || !isComputed(spec, item, point))
            continue;
        item.hooks.observe(point, [&, point, square](HookPoint, const TensorView& value) {
            if (found)
                return;
            const Tensor copy = copyOf(value);
            const auto element = firstBad(copy, ruleAt(point.kind));
            if (!element)
                return;
            found = {hookName(spec, point), positionOf(value, square, *element),
                     isFinite(copy.values()[*element])};
            enough.request_stop();
        });
    }
    item.observers.clear();
    item.read_logits = [&](std::size_t position, std::span<const float> logits) {
        const std::lock_guard lock(mutex);
        const bool earlier = !found || (found->hook == kLogits && position < found->position);
        if (earlier && !std::ranges::all_of(logits, isFinite))
            found = {std::string(kLogits), position};
    };
    auto prompts = pack(model, {&item, 1}, request);
    if (prompts)
        (void)Forward(*model, request, *std::move(prompts), enough.get_token())();
    return found;
}

} // namespace

Error findNotFinite(const std::shared_ptr<const Model>& model, std::span<const RunItem> items,
                    const Request& request) {
    for (const RunItem& item : items)
        if (const auto found = firstFinding(model, item, request))
            return {
                ErrorCode::Malformed,
                "The run is not finite: '" + found->hook + "' holds " +
                    (found->finite ? "the root of a variance beyond float32" : "NaN or infinity") +
                    " at position " + std::to_string(found->position) +
                    "; the weights, or an edit made by a hook, overflow there."};
    return {ErrorCode::Malformed, "The run is not finite; the weights, or an edit made by a hook, "
                                  "overflow."};
}

} // namespace headscope

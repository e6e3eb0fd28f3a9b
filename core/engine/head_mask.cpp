#include "core/engine/head_mask.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// z is [position, head, d_head].
double meanOverPositions(const MutableTensorView& z, std::size_t place, std::size_t dimension) {
    double sum = 0.0;
    for (std::size_t position = 0; position < z.shape[0]; ++position)
        sum += static_cast<double>(z(position, place, dimension));
    return sum / static_cast<double>(z.shape[0]);
}

/// `stand_in` [1 or position, head, d_head], for the kinds that read it.
void ablate(const MutableTensorView& z, std::size_t place, AblationKind kind,
            const Tensor* stand_in) {
    for (std::size_t dimension = 0; dimension < z.shape[2]; ++dimension) {
        const float mean = kind == AblationKind::Mean
                               ? static_cast<float>(meanOverPositions(z, place, dimension))
                               : 0.0f;
        for (std::size_t position = 0; position < z.shape[0]; ++position)
            z(position, place, dimension) =
                stand_in ? (*stand_in)(stand_in->dim(0) == 1 ? 0 : position, place, dimension)
                         : mean;
    }
}

bool readsStandIn(AblationKind kind) {
    return kind == AblationKind::TextMean || kind == AblationKind::Resample;
}

} // namespace

std::string_view ablationKindName(AblationKind kind) {
    switch (kind) {
    case AblationKind::Zero:
        return "zero";
    case AblationKind::Mean:
        return "mean";
    case AblationKind::TextMean:
        return "text-mean";
    case AblationKind::Resample:
        return "resample";
    }
    return {};
}

Result<void> checkHead(LayerHead head, const ModelSpec& spec) {
    if (spec.hasHead(head))
        return {};
    if (spec.absent.hasAttention(head.layer))
        return Error{ErrorCode::NotFound, "There is no head " + headText(head) +
                                              ": the attention of its layer is not in "
                                              "the file."};
    if (head.layer < spec.n_layers && head.head < spec.n_heads)
        return Error{ErrorCode::NotFound,
                     "There is no head " + headText(head) + ": it was removed from this network."};
    return Error{ErrorCode::NotFound, "There is no head " + headText(head) +
                                          ": this network has layers 0 to " +
                                          std::to_string(spec.n_layers - 1) + " and heads 0 to " +
                                          std::to_string(spec.n_heads - 1) + "."};
}

Result<LayerHead> parseHead(std::string_view text, const ModelSpec& spec) {
    const std::size_t dot = text.find('.');
    const auto layer = parseNumber<std::size_t>(text.substr(0, dot));
    const auto head = dot == std::string_view::npos
                          ? std::nullopt
                          : parseNumber<std::size_t>(text.substr(dot + 1));
    if (!layer || !head)
        return Error{ErrorCode::InvalidArgument, "\"" + std::string(text) +
                                                     "\" is no head; write LAYER.HEAD, such as "
                                                     "0.1."};
    if (auto exists = checkHead({*layer, *head}, spec); !exists)
        return exists.error();
    return LayerHead{*layer, *head};
}

HeadMask HeadMask::of(std::span<const LayerHead> heads, AblationKind kind) {
    HeadMask mask;
    for (const LayerHead head : heads)
        mask.set(head, kind);
    return mask;
}

bool HeadMask::needsStandIns() const {
    return std::ranges::any_of(ablated_,
                               [](const auto& head) { return readsStandIn(head.second); });
}

bool HeadMask::hangsOnWholeText() const {
    return std::ranges::any_of(ablated_,
                               [](const auto& head) { return head.second == AblationKind::Mean; });
}

Result<void> checkWithoutStandIns(const HeadMask& mask) {
    if (!mask.needsStandIns())
        return {};
    return Error{ErrorCode::InvalidArgument,
                 "Heads can be ablated here by zero or by their mean over the prompt, not by what "
                 "other prompts give."};
}

std::string HeadMask::text() const {
    std::vector<std::string> names;
    for (const auto& [head, kind] : ablated_)
        names.push_back(headText(head));
    return join(names, " ");
}

Result<std::vector<LayerHead>> parseHeads(std::string_view text, const ModelSpec& spec) {
    std::vector<LayerHead> heads;
    std::string separated(text);
    std::ranges::replace_if(
        separated, [](char c) { return c == ',' || c == '\n' || c == '\r' || c == '\t'; }, ' ');
    for (const std::string& part : split(separated, ' ')) {
        if (part.empty())
            continue;
        const auto head = parseHead(part, spec);
        if (!head)
            return head.error();
        heads.push_back(*head);
    }
    return heads;
}

Result<HeadMask> parseHeadMask(std::string_view text, const ModelSpec& spec, AblationKind kind) {
    const auto heads = parseHeads(text, spec);
    if (!heads)
        return heads.error();
    return HeadMask::of(*heads, kind);
}

void addAblation(HookSet& hooks, const HeadMask& mask, const ModelSpec& spec,
                 const std::shared_ptr<const StandIns>& stand_ins) {
    std::map<std::size_t, std::vector<std::pair<std::size_t, AblationKind>>> by_layer;
    for (const auto& [head, kind] : mask.heads())
        by_layer[head.layer].emplace_back(spec.headPlace(head), kind);
    for (const auto& [layer, heads] : by_layer)
        hooks.edit(HookPoint{HookKind::Z, layer}, [off = heads, stand_ins](
                                                      HookPoint point, const MutableTensorView& z) {
            for (const auto& [place, kind] : off)
                ablate(z, place, kind, readsStandIn(kind) ? &stand_ins->at(point.layer) : nullptr);
        });
}

} // namespace headscope

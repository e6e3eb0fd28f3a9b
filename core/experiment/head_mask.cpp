#include "core/experiment/head_mask.h"

#include "core/base/text.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// "4.1"
std::optional<LayerHead> parseHead(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos)
        return std::nullopt;
    const auto layer = parseNumber<std::size_t>(text.substr(0, dot));
    const auto head = parseNumber<std::size_t>(text.substr(dot + 1));
    if (!layer || !head)
        return std::nullopt;
    return LayerHead{*layer, *head};
}

Result<LayerHead> headOfNetwork(const std::string& text, const ModelSpec& spec) {
    const auto head = parseHead(text);
    if (!head)
        return Error{ErrorCode::InvalidArgument,
                     "\"" + text + "\" is no head; write LAYER.HEAD, such as 0.1."};
    if (head->layer >= spec.n_layers || head->head >= spec.n_heads)
        return Error{ErrorCode::NotFound,
                     "There is no head " + text + ": this network has layers 0 to " +
                         std::to_string(spec.n_layers - 1) + " and heads 0 to " +
                         std::to_string(spec.n_heads - 1) + "."};
    return *head;
}

/// z is [position, head, d_head].
double meanOverPositions(const MutableTensorView& z, std::size_t head, std::size_t dimension) {
    double sum = 0.0;
    for (std::size_t position = 0; position < z.shape[0]; ++position)
        sum += static_cast<double>(z(position, head, dimension));
    return sum / static_cast<double>(z.shape[0]);
}

void ablate(const MutableTensorView& z, std::size_t head, AblationKind kind) {
    for (std::size_t dimension = 0; dimension < z.shape[2]; ++dimension) {
        const auto stand_in = kind == AblationKind::Zero
                                  ? 0.0f
                                  : static_cast<float>(meanOverPositions(z, head, dimension));
        for (std::size_t position = 0; position < z.shape[0]; ++position)
            z(position, head, dimension) = stand_in;
    }
}

} // namespace

std::string_view ablationKindName(AblationKind kind) {
    return kind == AblationKind::Zero ? "zero" : "mean";
}

std::string HeadMask::text() const {
    std::vector<std::string> names;
    for (const auto& [head, kind] : off_)
        names.push_back(std::to_string(head.layer) + "." + std::to_string(head.head));
    return join(names, " ");
}

Result<HeadMask> parseHeadMask(std::string_view text, const ModelSpec& spec, AblationKind kind) {
    HeadMask mask;
    std::string separated(text);
    for (char& letter : separated)
        if (letter == ',')
            letter = ' ';
    for (const std::string& part : split(separated, ' ')) {
        if (part.empty())
            continue;
        const auto head = headOfNetwork(part, spec);
        if (!head)
            return head.error();
        mask.set(*head, kind);
    }
    return mask;
}

void addAblation(HookSet& hooks, const HeadMask& mask, const ModelSpec& spec) {
    std::map<std::size_t, std::vector<std::pair<std::size_t, AblationKind>>> by_layer;
    for (const auto& [head, kind] : mask.heads())
        by_layer[head.layer].emplace_back(head.head, kind);
    for (const auto& [layer, heads] : by_layer)
        hooks.edit(hookName(spec, {HookKind::Z, layer}),
                   [off = heads](HookPoint, const MutableTensorView& z) {
                       for (const auto& [head, kind] : off)
                           ablate(z, head, kind);
                   });
}

} // namespace headscope

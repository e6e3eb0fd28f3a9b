#include "core/pruning/orders.h"

#include "core/base/names.h"
#include "core/engine/head_mask.h"

#include <algorithm>
#include <array>

namespace headscope {

namespace {

constexpr Names<OrderKind, 15> kOrderNames{{
    {OrderKind::Random, "random"},
    {OrderKind::Ablation, "ablation"},
    {OrderKind::Gradient, "gradient"},
    {OrderKind::GradientByLayer, "gradient-layer"},
    {OrderKind::Taylor, "taylor"},
    {OrderKind::WeightNorm, "weight"},
    {OrderKind::OutputNorm, "ahon"},
    {OrderKind::Fluctuation, "flap"},
    {OrderKind::Wanda, "wanda"},
    {OrderKind::Reconstruction, "reconstruction"},
    {OrderKind::Redundancy, "redundancy"},
    {OrderKind::HeadType, "type"},
    {OrderKind::OwnList, "list"},
    {OrderKind::Greedy, "greedy"},
    {OrderKind::GreedyGradient, "greedy-gradient"},
}};

} // namespace

std::string_view orderKindName(OrderKind kind) {
    return nameOf(kOrderNames, kind);
}

std::span<const OrderKind> orderKinds() {
    static const auto kinds = [] {
        std::array<OrderKind, kOrderNames.size()> all{};
        std::ranges::transform(kOrderNames, all.begin(),
                               &std::pair<OrderKind, std::string_view>::first);
        return all;
    }();
    return kinds;
}

std::optional<OrderKind> orderKindNamed(std::string_view name) {
    return valueNamed(kOrderNames, name);
}

Result<OrderSpec> ownListOrder(std::string_view heads, const std::string& name,
                               const ModelSpec& spec) {
    auto list = parseHeads(heads, spec);
    if (!list)
        return list.error();
    OrderSpec order{OrderKind::OwnList};
    order.own_list = *std::move(list);
    order.own_list_name = name;
    return order;
}

std::string OrderSpec::name() const {
    const std::string plain(orderKindName(kind));
    if (kind == OrderKind::Random)
        return plain + ":" + std::to_string(seed);
    return kind == OrderKind::OwnList ? plain + ":" + own_list_name : plain;
}

} // namespace headscope

#include "core/pruning/orders.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headscope {

namespace {

constexpr std::array<std::pair<OrderKind, std::string_view>, 15> kOrderNames{{
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
    return std::ranges::find(kOrderNames, kind, &decltype(kOrderNames)::value_type::first)->second;
}

std::span<const OrderKind> orderKinds() {
    static const auto kinds = [] {
        std::array<OrderKind, kOrderNames.size()> all{};
        std::ranges::transform(kOrderNames, all.begin(), &decltype(kOrderNames)::value_type::first);
        return all;
    }();
    return kinds;
}

std::optional<OrderKind> orderKindNamed(std::string_view name) {
    const auto found =
        std::ranges::find(kOrderNames, name, &decltype(kOrderNames)::value_type::second);
    if (found == kOrderNames.end())
        return std::nullopt;
    return found->first;
}

std::string OrderSpec::name() const {
    const std::string plain(orderKindName(kind));
    if (kind == OrderKind::Random)
        return plain + ":" + std::to_string(seed);
    return kind == OrderKind::OwnList ? plain + ":" + own_list_name : plain;
}

} // namespace headscope

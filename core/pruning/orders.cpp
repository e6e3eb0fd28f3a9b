#include "core/pruning/orders.h"

#include "core/base/names.h"
#include "core/engine/head_mask.h"

#include <algorithm>
#include <array>

namespace headscope {

namespace {

constexpr Names<PruningUnit, 3> kUnitNames{{
    {PruningUnit::Head, "head"},
    {PruningUnit::Group, "group"},
    {PruningUnit::Layer, "layer"},
}};

} // namespace

std::string_view pruningUnitName(PruningUnit unit) {
    return nameOf(kUnitNames, unit);
}

std::optional<PruningUnit> pruningUnitNamed(std::string_view name) {
    return valueNamed(kUnitNames, name);
}

std::vector<HeadSet> pruningUnits(const ModelSpec& spec, PruningUnit unit) {
    std::vector<HeadSet> units;
    LayerHead previous;
    for (const LayerHead head : spec.allHeads()) {
        const bool together =
            !units.empty() && head.layer == previous.layer &&
            (unit == PruningUnit::Layer ||
             (unit == PruningUnit::Group && spec.kvHeadOf(head) == spec.kvHeadOf(previous)));
        if (!together)
            units.emplace_back();
        units.back().push_back(head);
        previous = head;
    }
    return units;
}

PruningFloor::PruningFloor(const std::vector<HeadSet>& units, const PruningLimits& limits)
    : limits_(limits) {
    for (const HeadSet& unit : units) {
        left_.resize(std::max(left_.size(), unit.front().layer + 1));
        ++left_[unit.front().layer];
    }
}

bool PruningFloor::mayGo(const HeadSet& unit) const {
    const bool locked = std::ranges::any_of(unit, [&](LayerHead head) {
        return std::ranges::find(limits_.protected_heads, head) != limits_.protected_heads.end();
    });
    return !locked && left_[unit.front().layer] > limits_.least_per_layer;
}

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

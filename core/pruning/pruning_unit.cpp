#include "core/pruning/pruning_unit.h"

#include "core/base/names.h"

#include <algorithm>

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

} // namespace headscope

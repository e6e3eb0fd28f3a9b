#pragma once

#include "core/interventions/sweep.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

/// What is removed at a time. A query head of a group of several takes W_Q and W_O along and leaves
/// W_K and W_V to the others, so that a whole group saves more than its heads one by one.
enum class PruningUnit { Head, Group, Layer };

/// "head", "group", "layer"
std::string_view pruningUnitName(PruningUnit unit);
std::optional<PruningUnit> pruningUnitNamed(std::string_view name);

/// All of them, layer by layer; a layer without heads has none.
std::vector<HeadSet> pruningUnits(const ModelSpec& spec, PruningUnit unit);

/// What must stay.
struct PruningLimits {
    std::size_t least_per_layer = 0; ///< units
    HeadSet protected_heads;
};

/// Tells which units may still be removed while one after the other is.
class PruningFloor {
public:
    PruningFloor(const std::vector<HeadSet>& units, const PruningLimits& limits);

    bool mayGo(const HeadSet& unit) const;
    void remove(const HeadSet& unit) { --left_[unit.front().layer]; }

private:
    PruningLimits limits_;
    std::vector<std::size_t> left_; ///< [layer], units
};

} // namespace headscope

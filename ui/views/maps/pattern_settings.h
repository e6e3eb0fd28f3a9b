#pragma once

#include "core/attribution/shown_attention.h"
#include "core/base/colour_map.h"

#include <QString>

#include <optional>

namespace headscope::ui {

/// What maps of heads show.
enum class PatternMap {
    Attention,
    ValueWeighted, ///< A[q, k]·‖v_k W_O‖, each row divided by its sum
    Difference,    ///< attention less that of the run with all heads on
};

/// "Value-weighted"
QString patternMapName(PatternMap map);

/// The ways to look at maps of heads.
enum class PatternPage { Heatmap, AllHeads, Text, Lines, Why, Inside };

/// How maps of heads are drawn, whatever the head. All views of patterns follow it.
struct PatternSettings {
    PatternMap map = PatternMap::Attention;
    FirstKey first_key = FirstKey::Automatic;
    bool rescale_rows = false; ///< without the first key, each row divided by what is left of it
    std::optional<ValueScale> scale; ///< none: the finer, the less is left without the first key
    bool own_scale = false;          ///< colours up to the largest value of the head, in place of 1
    ColourMap colours = ColourMap::Viridis;

    bool operator==(const PatternSettings&) const = default;
};

} // namespace headscope::ui

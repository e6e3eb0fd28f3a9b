#pragma once

#include "core/attribution/shown_attention.h"
#include "core/base/colour_map.h"
#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/engine/run.h"
#include "core/model/prompt.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// How the pattern of one head is drawn; what the window offers above its heatmap.
struct PatternLook {
    ColourMap colours = ColourMap::Viridis;
    FirstKey first_key = FirstKey::Automatic;
    bool rescale_rows = false; ///< without the first key, each row divided by what is left of it
    std::optional<ValueScale> scale; ///< none: fittingScale()
    std::string types;               ///< after the head's name: "induction 0.59 (baseline 0.01)"
};

/// A matrix of queries and keys as a picture; everything that the picture depends on.
struct PatternFigure {
    Tensor cells; ///< [row, column], NaN is not visible; of long prompts the largest of each part
    std::vector<std::string> labels; ///< of every position, for rows and columns
    std::string title;               ///< "L4 H1"
    std::string row_axis = "query";
    std::string column_axis = "key";
    std::string value_name = "attention"; ///< beside the colour scale
    std::string note;                     ///< small, below: model, prompt, BOS
    /// [position] 0..1, grey: what the first key gets that is left out, else what a learned sink
    /// takes
    std::vector<float> bars;
    bool bars_beside = false; ///< left of the map, since the first key is shown
    CellColours colours;
};

/// The pattern of a head of a run. `prompt` labels the positions. Fails for a head that is not
/// there.
Result<PatternFigure> patternFigure(const Run& run, const Prompt& prompt, const HeadMask& mask,
                                    LayerHead head, const PatternLook& look = {});

/// The figure as SVG, 720 pixels wide at most: text stays text, cells are rectangles, or of many
/// an image, and say what they are to who points at them. Nothing is loaded, and the same figure
/// gives the same bytes.
std::string figureSvg(const PatternFigure& figure);

/// Writes it whole or not at all. Fails for a name that does not end in .svg.
Result<void> writeFigure(const std::filesystem::path& path, const PatternFigure& figure);

} // namespace headscope

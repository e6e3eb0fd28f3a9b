#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace headscope {

/// Colour maps for values in 0..1. The diverging ones are for differences, blue below 0 and red
/// above: one is white at 0, the other dark, for dark backgrounds.
enum class ColourMap { Viridis, Cividis, Greys, Diverging, DivergingDark };

bool isDiverging(ColourMap map);

/// 0xffRRGGBB
using Rgb = std::uint32_t;

/// The 256 opaque colours of the map, from fraction 0 to fraction 1, for painting whole images.
const std::array<Rgb, 256>& colourTable(ColourMap map);

/// `fraction` along the map; values outside 0..1 are clamped.
Rgb rgbAt(ColourMap map, double fraction);

/// How a value becomes a place on the map.
enum class ValueScale {
    Linear,
    SquareRoot,  ///< of its share of the range
    Logarithmic, ///< the last four powers of ten of the range
};

/// How values become colours: `low` is fraction 0 of the map, `high` fraction 1. The diverging map
/// is scaled from its middle to both sides.
struct CellColours {
    ColourMap map = ColourMap::Viridis;
    double low = 0.0;
    double high = 1.0;
    ValueScale scale = ValueScale::Linear;
};

/// Place of a value along the map, 0..1 within the range.
double fractionOf(double value, const CellColours& colours);

/// Values to write beside the colour scale, ascending, where it is not linear.
std::vector<double> scaleMarks(const CellColours& colours);

/// Relative luminance of WCAG 2.1, 0 (black) to 1 (white).
double luminance(Rgb colour);
/// Whether black reads better than white on it, by the contrast of WCAG 2.1.
bool isLight(Rgb background);

} // namespace headscope

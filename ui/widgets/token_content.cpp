#include "ui/widgets/token_content.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::ui {

float strengthOf(float value, const CellColours& scale) {
    if (std::isnan(value))
        return value;
    const double fraction = fractionOf(static_cast<double>(value), scale);
    const bool is_signed = isDiverging(scale.map);
    return static_cast<float>(std::clamp(is_signed ? 2.0 * fraction - 1.0 : fraction, -1.0, 1.0));
}

std::vector<float> strengthsAround(const TokenHead& head, std::size_t token,
                                   TokenDirection direction) {
    const CellRange one{token, token + 1};
    const CellRange all{0, head.cells->columns()};
    const bool reads = direction == TokenDirection::Reads;
    const Tensor values = head.cells->exact(reads ? one : all, reads ? all : one);
    std::vector<float> strengths;
    strengths.reserve(all.size());
    for (const float value : values.values())
        strengths.push_back(strengthOf(value, head.scale));
    return strengths;
}

Tensor strengthsOf(const TokenHead& head, const CellRange& queries) {
    Tensor values = head.cells->exact(queries, {0, head.cells->columns()});
    for (float& value : values.values())
        value = strengthOf(value, head.scale);
    return values;
}

} // namespace headscope::ui

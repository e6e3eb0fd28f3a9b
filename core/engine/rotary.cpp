#include "core/engine/rotary.h"

#include "core/model/rotary_frequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headscope {

RotaryTable rotaryTable(const RotarySpec& rotary, std::size_t positions) {
    const std::vector<double> frequencies = rotaryFrequencies(rotary, positions);
    RotaryTable table{Tensor({positions, frequencies.size()}),
                      Tensor({positions, frequencies.size()}), rotary.pairs};
    for (std::size_t p = 0; p < positions; ++p) {
        for (std::size_t i = 0; i < frequencies.size(); ++i) {
            const double angle = static_cast<double>(p) * frequencies[i];
            table.cos(p, i) = static_cast<float>(rotary.amplitude * std::cos(angle));
            table.sin(p, i) = static_cast<float>(rotary.amplitude * std::sin(angle));
        }
    }
    return table;
}

void applyRotary(const RotaryTable& table, std::size_t n_heads, std::size_t first_position,
                 MutableMatrixView x) {
    const std::size_t pairs = table.cos.dim(1);
    const std::size_t d_head = x.cols / n_heads;
    const bool halves = table.pairs == RotaryPairs::Halves;
    const std::size_t step = halves ? 1 : 2;      // from one pair to the next
    const std::size_t apart = halves ? pairs : 1; // the second of a pair from its first
    for (std::size_t row = 0; row < x.rows; ++row) {
        const float* cos = table.cos.matrix().row(first_position + row);
        const float* sin = table.sin.matrix().row(first_position + row);
        for (std::size_t head = 0; head < n_heads; ++head) {
            float* first = x.row(row) + head * d_head;
            for (std::size_t i = 0; i < pairs; ++i, first += step) {
                const float a = first[0];
                const float b = first[apart];
                first[0] = a * cos[i] - b * sin[i];
                first[apart] = b * cos[i] + a * sin[i];
            }
        }
    }
}

} // namespace headscope

#include "core/engine/rotary.h"

#include "core/model/rotary_frequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace headscope {

RotaryTable rotaryTable(const RotarySpec& rotary, PositionRange positions) {
    const std::vector<double> frequencies = rotaryFrequencies(rotary, positions.end);
    RotaryTable table{Tensor({positions.size(), frequencies.size()}),
                      Tensor({positions.size(), frequencies.size()}), rotary.pairs};
    for (std::size_t row = 0; row < positions.size(); ++row) {
        for (std::size_t i = 0; i < frequencies.size(); ++i) {
            const double angle = static_cast<double>(positions.begin + row) * frequencies[i];
            table.cos(row, i) = static_cast<float>(rotary.amplitude * std::cos(angle));
            table.sin(row, i) = static_cast<float>(rotary.amplitude * std::sin(angle));
        }
    }
    return table;
}

RotaryTable rotaryTable(const RotarySpec& rotary, std::size_t positions) {
    return rotaryTable(rotary, PositionRange{0, positions});
}

RotaryTable transposed(RotaryTable table) {
    for (float& sine : table.sin.values())
        sine = -sine;
    return table;
}

RotaryTable inverse(RotaryTable table) {
    RotaryTable back = transposed(std::move(table));
    for (std::size_t i = 0; i < back.cos.size(); ++i) {
        float& cos = back.cos.values()[i];
        float& sin = back.sin.values()[i];
        const float squared = cos * cos + sin * sin; // of the amplitude
        cos /= squared;
        sin /= squared;
    }
    return back;
}

void applyRotary(const RotaryTable& table, std::size_t n_heads, std::size_t first_row,
                 MutableMatrixView x) {
    const std::size_t pairs = table.cos.dim(1);
    const std::size_t d_head = x.cols / n_heads;
    const bool halves = table.pairs == RotaryPairs::Halves;
    const std::size_t step = halves ? 1 : 2;      // from one pair to the next
    const std::size_t apart = halves ? pairs : 1; // the second of a pair from its first
    for (std::size_t row = 0; row < x.rows; ++row) {
        const float* cos = table.cos.matrix().row(first_row + row);
        const float* sin = table.sin.matrix().row(first_row + row);
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

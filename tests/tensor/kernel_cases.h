#pragma once

#include "core/tensor/kernels.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace headscope::test {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// A row per set of instructions that this machine has; the column is "kernels".
inline void addKernelRows() {
    QTest::addColumn<std::string>("kernels");
    for (const std::string_view name : kernelNames())
        QTest::newRow(std::string(name).c_str()) << std::string(name);
}

/// Every remainder of every vector length, and some rows of several blocks.
inline std::vector<std::size_t> rowLengths() {
    std::vector<std::size_t> lengths(71);
    std::ranges::generate(lengths, [n = std::size_t{0}]() mutable { return n++; });
    lengths.insert(lengths.end(), {255, 768, 1021, 1025, 4099});
    return lengths;
}

inline std::vector<float> randomRow(std::size_t n, float from, float to) {
    std::mt19937 random(static_cast<std::mt19937::result_type>(n) + 1);
    std::uniform_real_distribution<float> uniform(from, to);
    std::vector<float> row(n);
    std::ranges::generate(row, [&] { return uniform(random); });
    return row;
}

/// A row that begins in the middle of a vector, between values that must stay as they are.
class FencedRow {
public:
    explicit FencedRow(std::span<const float> values) : buffer_(values.size() + 2 * kFence, kPost) {
        std::ranges::copy(values, row().begin());
    }

    std::span<float> row() {
        return std::span(buffer_).subspan(kFence, buffer_.size() - 2 * kFence);
    }
    bool fenceStands() const {
        return std::all_of(buffer_.begin(), buffer_.begin() + kFence, isPost) &&
               std::all_of(buffer_.end() - kFence, buffer_.end(), isPost);
    }

private:
    static constexpr std::ptrdiff_t kFence = 17;
    static constexpr float kPost = 12345.0f;
    static bool isPost(float value) { return value == kPost; }

    std::vector<float> buffer_;
};

/// The same number up to |expected|·relative + absolute, or both NaN, or the same infinity.
inline bool agree(float value, double expected, double relative, double absolute) {
    if (std::isnan(expected))
        return std::isnan(value);
    if (std::isinf(expected))
        return static_cast<double>(value) == expected;
    return std::abs(value - expected) <= std::abs(expected) * relative + absolute;
}

} // namespace headscope::test

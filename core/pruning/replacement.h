#pragma once

#include <optional>
#include <string_view>

namespace headscope {

/// What takes the place of z of removed heads while it is measured how much they are missed.
enum class Replacement {
    Zero,
    Mean,     ///< over the calibration text; the same as Compensation::Bias
    Resample, ///< its value at the same position of a passage of the calibration text
};

/// "zero", "mean", "resample"
std::string_view replacementName(Replacement replacement);
std::optional<Replacement> replacementNamed(std::string_view name);

} // namespace headscope

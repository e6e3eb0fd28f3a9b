#pragma once

#include <optional>
#include <string_view>

namespace headscope {

/// The model_type of a family that is spelled most like `model_type`; nothing where none is near.
std::optional<std::string_view> nearestFamily(std::string_view model_type);

} // namespace headscope

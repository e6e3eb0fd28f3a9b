#pragma once

#include "core/base/colour_map.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// Pixels [row, column] as a PNG file; 0 is transparent, all others are as opaque as they say.
std::string pngOf(std::span<const Rgb> pixels, std::size_t width, std::size_t height);

/// For URLs that hold their own data.
std::string base64(std::string_view bytes);

} // namespace headscope

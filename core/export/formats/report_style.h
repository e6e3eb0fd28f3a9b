#pragma once

#include <string_view>

namespace headscope {

/// The style sheet of a report, for screens, light and dark, and for A4. Without custom properties,
/// which viewers in mail programs may not know.
std::string_view reportStyle();

} // namespace headscope

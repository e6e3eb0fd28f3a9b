#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string_view>

namespace headscope {

/// "Cannot open 'models/gpt2.h5': <reason>."
Error cannotOpen(ErrorCode code, const std::filesystem::path& path, std::string_view reason);

/// The same with the reason and the way out that belong to a value of errno.
Error cannotOpen(const std::filesystem::path& path, int error_number);

/// "Cannot write 'out/patterns.npz': <reason>."
Error cannotWrite(const std::filesystem::path& path, std::string_view reason);
Error cannotWrite(const std::filesystem::path& path, int error_number);

} // namespace headscope

#pragma once

#include "core/base/result.h"

#include <cstddef>

namespace headscope {

/// The address space that the sealed reader gets for a file of so many bytes.
std::size_t readerMemory(std::size_t file_bytes);

/// That describing such a file takes more than that, or than the session leaves of it. A reason.
Error readerIsOutOfMemory(std::size_t file_bytes);

} // namespace headscope

#pragma once

#include "core/base/result.h"
#include "core/io/sealed/reader_process.h"

#include <cstddef>

namespace headscope {

/// The address space that the sealed reader gets for a file or question of `bytes` bytes.
std::size_t readerMemory(Parser parser, std::size_t bytes);

/// That answering takes more than that, or than the session leaves of it. A reason.
Error readerIsOutOfMemory(Parser parser, std::size_t bytes);

} // namespace headscope

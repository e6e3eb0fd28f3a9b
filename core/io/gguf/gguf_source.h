#pragma once

#include "core/io/files/open_file.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <memory>
#include <stop_token>

namespace headscope {

/// Opens a GGUF file; one of several parts ("NAME-00002-of-00005.gguf") opens all of them, which
/// must be beside it. Its metadata are the text kGgufMetadata.
Result<std::unique_ptr<TensorSource>> openGgufSource(InputFile file, std::size_t byte_budget,
                                                     const std::stop_token& stop);

} // namespace headscope

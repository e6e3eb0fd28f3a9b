#pragma once

#include "core/io/files/open_file.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <memory>
#include <stop_token>

namespace headscope {

/// Opens a safetensors file. Its "__metadata__" are the texts.
Result<std::unique_ptr<TensorSource>> openSafetensorsSource(InputFile file, std::size_t byte_budget,
                                                            const std::stop_token& stop);

} // namespace headscope

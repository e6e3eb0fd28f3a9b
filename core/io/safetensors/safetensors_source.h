#pragma once

#include "core/io/files/open_file.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <memory>

namespace headscope {

/// Opens a safetensors file. Its "__metadata__" are the texts.
Result<std::unique_ptr<TensorSource>> openSafetensorsSource(InputFile file,
                                                            std::size_t byte_budget);

} // namespace headscope

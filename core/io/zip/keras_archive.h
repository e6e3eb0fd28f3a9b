#pragma once

#include "core/base/result.h"
#include "core/io/files/input_file.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <memory>
#include <stop_token>

namespace headscope {

/// Opens a .keras file: a zip archive with model.weights.h5, which is read where it lies, or
/// unpacked into memory where it is deflated, and config.json, which is the text "config". Other
/// zip archives are refused by what they are.
Result<std::unique_ptr<TensorSource>> openKerasArchive(InputFile archive, std::size_t byte_budget,
                                                       const std::stop_token& stop);

} // namespace headscope

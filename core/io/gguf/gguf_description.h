#pragma once

#include "core/base/result.h"
#include "core/io/gguf/gguf_header.h"
#include "core/io/sealed/file_description.h"

#include <cstddef>

namespace headscope {

// A header on its way from the sealed reader to the program.

GgufAnswer describe(GgufHeader header);

/// Fails for what cannot be the header of a file of so many bytes: tensors of unknown formats, past
/// the end, over one another, without proper names or not in their order. The metadata are any
/// text. Error messages are reasons.
Result<GgufHeader> checkedHeader(GgufAnswer description, std::size_t file_bytes);

} // namespace headscope

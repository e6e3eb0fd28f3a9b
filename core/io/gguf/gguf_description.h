#pragma once

#include "core/base/result.h"
#include "core/io/gguf/gguf_header.h"
#include "core/io/sealed/file_description.h"

#include <cstddef>

namespace headscope {

// A header on its way from the sealed reader to the program.

GgufAnswer describe(GgufHeader header);

/// Checks a header that was read in the sealed reader. Fails for one that a file of `file_bytes`
/// bytes cannot have: tensors of unknown formats, past the end, over one another, without proper
/// names or not in their order. The metadata may be any text. Error messages are reasons.
Result<GgufHeader> checkedHeader(GgufAnswer description, std::size_t file_bytes);

} // namespace headscope

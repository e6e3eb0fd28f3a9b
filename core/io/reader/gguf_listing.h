#pragma once

#include "core/io/reader/file_part.h"
#include "core/io/sealed/file_description.h"

namespace headscope {

/// Reads the header of a GGUF file. Throws std::bad_alloc.
ReaderAnswer describeGguf(const FilePart& file);

} // namespace headscope

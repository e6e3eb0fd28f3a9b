#pragma once

#include "core/io/reader/file_part.h"
#include "core/io/sealed/file_description.h"

namespace headscope {

/// Lists the files in a zip archive. Where a file is neither stored nor deflated, or encrypted,
/// only its name is given. Throws std::bad_alloc.
ReaderAnswer describeZip(const FilePart& file);

} // namespace headscope

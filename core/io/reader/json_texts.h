#pragma once

#include "core/io/reader/file_part.h"
#include "core/io/sealed/file_description.h"

namespace headscope {

/// Parses the JSON texts of a question (json_question.h). Throws std::bad_alloc.
ReaderAnswer describeJson(const FilePart& question);

} // namespace headscope

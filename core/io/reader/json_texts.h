#pragma once

#include "core/io/sealed/file_description.h"

#include <cstddef>
#include <span>

namespace headscope {

/// Parses the JSON texts of a question (json_question.h). Throws std::bad_alloc.
ReaderAnswer parseTexts(std::span<const std::byte> question);

} // namespace headscope

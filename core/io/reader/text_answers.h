#pragma once

#include "core/io/sealed/file_description.h"

#include <cstddef>
#include <span>

namespace headscope {

/// Parses the texts of a question (reader_question.h). Throws std::bad_alloc.
ReaderAnswer answerAboutTexts(std::span<const std::byte> question);

} // namespace headscope

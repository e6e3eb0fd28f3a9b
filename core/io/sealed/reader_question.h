#pragma once

#include "core/base/json.h"
#include "core/io/sealed/file_description.h"

#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

// What the sealed reader is asked about texts.

struct JsonQuestion {
    JsonLimits limits; ///< of each
    std::vector<std::string_view> texts;
};

struct SentencePieceQuestion {
    std::string_view model;
};

using ReaderQuestion = std::variant<JsonQuestion, SentencePieceQuestion>;

/// What the reader answers. Throws std::bad_alloc.
ReaderAnswer answerTo(const ReaderQuestion& question);

} // namespace headscope

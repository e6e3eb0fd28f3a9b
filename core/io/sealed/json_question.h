#pragma once

#include "core/base/json.h"
#include "core/io/files/open_file.h"
#include "core/io/sealed/file_description.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headscope {

/// What the sealed reader is asked about JSON texts.
struct JsonQuestion {
    JsonLimits limits; ///< of each
    std::vector<std::string_view> texts;
};

/// As a file in memory: the limits, then each text after its length.
Result<InputFile> encodeQuestion(const JsonQuestion& question);

/// The texts stay in `bytes`. Nothing for bytes of another form.
std::optional<JsonQuestion> decodeQuestion(std::span<const std::byte> bytes);

/// What the reader answers.
JsonAnswers answerTo(const JsonQuestion& question);

} // namespace headscope

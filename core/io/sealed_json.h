#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// JsonDocument::parse() for a text from anywhere: a sealed reader parses it, and what it answers
/// is checked against the limits and the length of the text. Messages are those of parse(), or
/// "cannot be read: …", not with ErrorCode::Malformed, where no reader can be started or it does
/// not answer; see sealed_reading.h for both.
Result<JsonDocument> readForeignJson(std::string_view text, const JsonLimits& limits = {});

/// The same for many texts in one question.
std::vector<Result<JsonDocument>> readForeignJsons(const std::vector<std::string_view>& texts,
                                                   const JsonLimits& limits = {});

/// The error of one of these with what the text is, as "PATH" or "its header". `advice` is what to
/// do about a malformed text; of other errors the message says that itself.
Error aboutText(const Error& why, const std::string& subject, std::string_view advice,
                std::string_view end = ".");

} // namespace headscope

#pragma once

#include "core/base/json.h"
#include "core/io/sealed/file_description.h"

#include <string_view>
#include <vector>

namespace headscope {

/// What the sealed reader is asked about JSON texts.
struct JsonQuestion {
    JsonLimits limits; ///< of each
    std::vector<std::string_view> texts;
};

/// What the reader answers.
JsonAnswers answerTo(const JsonQuestion& question);

} // namespace headscope

#include "core/io/sealed/json_question.h"

#include "core/base/json_bytes.h"
#include "core/base/utf8.h"

#include <cstddef>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// A key in it may be as long as the text.
constexpr std::size_t kMostOfReason = 400;

Error shortened(Error reason) {
    const std::string_view start = firstCharacters(reason.message, kMostOfReason);
    if (start.size() < reason.message.size())
        reason.message = std::string(start) + "…";
    return reason;
}

} // namespace

JsonAnswers answerTo(const JsonQuestion& question) {
    JsonAnswers answers;
    for (const std::string_view text : question.texts) {
        auto values = encodeJson(text, question.limits);
        answers.texts.push_back(values ? std::move(values) : shortened(values.error()));
    }
    return answers;
}

} // namespace headscope

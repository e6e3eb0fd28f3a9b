#include "core/io/sealed/reader_question.h"

#include "core/base/json_bytes.h"
#include "core/base/utf8.h"
#include "core/io/sentencepiece/model_fields.h"

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

ReaderAnswer answer(const JsonQuestion& question) {
    JsonAnswers answers;
    for (const std::string_view text : question.texts) {
        auto values = encodeJson(text, question.limits);
        answers.texts.push_back(values ? std::move(values) : shortened(values.error()));
    }
    return answers;
}

ReaderAnswer answer(const SentencePieceQuestion& question) {
    auto model = parseSentencePieceModel(question.model);
    if (!model)
        return Refusal{model.error(), ""};
    return *std::move(model);
}

} // namespace

ReaderAnswer answerTo(const ReaderQuestion& question) {
    return std::visit([](const auto& kind) { return answer(kind); }, question);
}

} // namespace headscope

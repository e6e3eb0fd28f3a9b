#include "core/io/reader/text_answers.h"

#include "core/io/sealed/reader_question.h"
#include "core/io/sealed/wire.h"

namespace headscope {

ReaderAnswer answerAboutTexts(std::span<const std::byte> question) {
    const auto asked = decodeQuestion(question);
    if (!asked)
        return Refusal{{ErrorCode::Malformed, "the question cannot be read"}, ""};
    return answerTo(*asked);
}

} // namespace headscope

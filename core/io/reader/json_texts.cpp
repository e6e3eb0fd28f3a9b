#include "core/io/reader/json_texts.h"

#include "core/io/sealed/json_question.h"
#include "core/io/sealed/wire.h"

namespace headscope {

ReaderAnswer parseTexts(std::span<const std::byte> question) {
    const auto asked = decodeQuestion(question);
    if (!asked)
        return Refusal{{ErrorCode::Malformed, "it is no question about JSON"}, ""};
    return answerTo(*asked);
}

} // namespace headscope

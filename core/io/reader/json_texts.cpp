#include "core/io/reader/json_texts.h"

#include "core/io/sealed/json_question.h"

namespace headscope {

ReaderAnswer describeJson(const FilePart& question) {
    Bytes bytes(question.bytes);
    bytes.resize(readPart(question, 0, bytes));
    const auto asked = decodeQuestion(bytes);
    if (!asked)
        return Refusal{{ErrorCode::Malformed, "it is no question about JSON"}, ""};
    return answerTo(*asked);
}

} // namespace headscope

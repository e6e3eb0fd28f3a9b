#include "core/io/sentencepiece_model.h"

#include "core/io/sealed/foreign_text_reader.h"
#include "core/io/sentencepiece/model_fields.h"

#include <utility>

namespace headscope {

Result<SentencePieceModel> readSentencePieceModel(std::string_view bytes) {
    auto answer = askForeignTextReader(SentencePieceQuestion{bytes});
    if (!answer)
        return answer.error();
    if (const auto* const refusal = std::get_if<Refusal>(&*answer))
        return refusal->reason;
    auto* const model = std::get_if<SentencePieceModel>(&*answer);
    if (model == nullptr || !hasOnlyKnownSettings(*model))
        return readerMisleads();
    return std::move(*model);
}

} // namespace headscope

#include "core/io/sealed_json.h"

#include "core/base/json_bytes.h"
#include "core/io/sealed/foreign_text_reader.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace headscope {

namespace {

Result<JsonDocument> checked(const Result<Bytes>& answer, std::string_view text,
                             const JsonLimits& limits) {
    if (!answer)
        return isReason(answer.error().message)
                   ? Error{ErrorCode::Malformed, answer.error().message}
                   : readerMisleads();
    auto document = decodeJson(*answer, limits, text.size());
    return document ? Result(*std::move(document)) : readerMisleads();
}

/// Why there is no answer about any of the texts; nothing where there is one.
std::optional<Error> failureOf(const Result<ReaderAnswer>& answer, std::size_t n_texts) {
    if (!answer)
        return answer.error();
    const auto* const answers = std::get_if<JsonAnswers>(&*answer);
    return answers == nullptr || answers->texts.size() != n_texts ? std::optional(readerMisleads())
                                                                  : std::nullopt;
}

} // namespace

std::vector<Result<JsonDocument>> readForeignJsons(const std::vector<std::string_view>& texts,
                                                   const JsonLimits& limits) {
    if (texts.empty())
        return {};
    const auto answer = askForeignTextReader(JsonQuestion{limits, texts});
    if (const auto failure = failureOf(answer, texts.size()))
        return std::vector<Result<JsonDocument>>(texts.size(), *failure);
    const auto& answers = std::get<JsonAnswers>(*answer).texts;
    std::vector<Result<JsonDocument>> documents;
    documents.reserve(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i)
        documents.push_back(checked(answers[i], texts[i], limits));
    return documents;
}

Result<JsonDocument> readForeignJson(std::string_view text, const JsonLimits& limits) {
    return std::move(readForeignJsons({text}, limits).front());
}

Error aboutText(const Error& why, const std::string& subject, std::string_view advice,
                std::string_view end) {
    std::string message = subject + " " + why.message;
    if (why.code == ErrorCode::Malformed)
        message.append("; ").append(advice);
    return {why.code, message.append(end)};
}

} // namespace headscope

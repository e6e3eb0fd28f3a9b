#include "core/io/sealed_json.h"

#include "core/base/json_bytes.h"
#include "core/io/sealed/json_reader.h"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace headscope {

namespace {

thread_local JsonReading* innermost = nullptr;

/// Not the fault of the text, as far as is known.
Error cannotBeRead(const Error& why) {
    const bool is_damaged = why.code == ErrorCode::Malformed;
    return {is_damaged ? ErrorCode::Unreadable : why.code, "cannot be read: " + why.message};
}

Error misleads() {
    return cannotBeRead({ErrorCode::Malformed,
                         "its reader gives no sensible answer, as happens with a text made to "
                         "mislead"});
}

Result<JsonDocument> checked(const Result<Bytes>& answer, std::string_view text,
                             const JsonLimits& limits) {
    if (!answer)
        return isReason(answer.error().message)
                   ? Error{ErrorCode::Malformed, answer.error().message}
                   : misleads();
    auto document = decodeJson(*answer, limits, text.size());
    return document ? Result(*std::move(document)) : misleads();
}

/// Why there is no answer about any of the texts; nothing where there is one.
std::optional<Error> failureOf(const Result<ReaderAnswer>& answer, std::size_t n_texts) {
    if (!answer)
        return cannotBeRead(answer.error());
    if (const auto* const refusal = std::get_if<Refusal>(&*answer))
        return cannotBeRead(refusal->reason);
    const auto* const answers = std::get_if<JsonAnswers>(&*answer);
    return answers == nullptr || answers->texts.size() != n_texts ? std::optional(misleads())
                                                                  : std::nullopt;
}

} // namespace

JsonReading::JsonReading(std::stop_token stop)
    : outer_(innermost), reader_(outer_ ? outer_->reader_ : std::make_shared<JsonReader>()),
      stop_(outer_ && !stop.stop_possible() ? outer_->stop_ : std::move(stop)) {
    innermost = this;
}

JsonReading::~JsonReading() {
    innermost = outer_;
}

std::vector<Result<JsonDocument>> readForeignJsons(const std::vector<std::string_view>& texts,
                                                   const JsonLimits& limits) {
    if (texts.empty())
        return {};
    const JsonQuestion question{limits, texts};
    const auto answer = innermost ? innermost->reader_->ask(question, innermost->stop_)
                                  : JsonReader().ask(question, {});
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

} // namespace headscope

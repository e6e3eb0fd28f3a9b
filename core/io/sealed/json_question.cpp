#include "core/io/sealed/json_question.h"

#include "core/base/json_bytes.h"
#include "core/base/utf8.h"
#include "core/io/files/tensor_reading.h"

#include <array>
#include <cstdint>
#include <string>

namespace headscope {

namespace {

constexpr std::size_t kNumberBytes = 8;
/// A key in it may be as long as the text.
constexpr std::size_t kMostOfReason = 400;

using Number = std::array<std::byte, kNumberBytes>;

Number encoded(std::uint64_t value) {
    Number bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
    return bytes;
}

/// Takes a number from the front; nothing where there is none.
std::optional<std::uint64_t> takeNumber(std::span<const std::byte>& bytes) {
    if (bytes.size() < kNumberBytes)
        return std::nullopt;
    const std::uint64_t value = littleEndian(bytes.first(kNumberBytes));
    bytes = bytes.subspan(kNumberBytes);
    return value;
}

std::optional<JsonLimits> takeLimits(std::span<const std::byte>& bytes) {
    const auto depth = takeNumber(bytes);
    const auto values = takeNumber(bytes);
    const auto unique_keys = takeNumber(bytes);
    const auto room = takeNumber(bytes);
    if (!room)
        return std::nullopt;
    return JsonLimits{*depth, *values, *unique_keys != 0, *room};
}

Error shortened(Error reason) {
    const std::string_view start = firstCharacters(reason.message, kMostOfReason);
    if (start.size() < reason.message.size())
        reason.message = std::string(start) + "…";
    return reason;
}

} // namespace

Result<InputFile> encodeQuestion(const JsonQuestion& question) {
    const JsonLimits& limits = question.limits;
    return InputFile::inMemory("JSON", [&](const InputFile::Append& append) -> Result<void> {
        for (const std::uint64_t number :
             {std::uint64_t{limits.depth}, std::uint64_t{limits.values},
              std::uint64_t{limits.unique_keys ? 1U : 0U}, std::uint64_t{limits.room}})
            if (auto done = append(encoded(number)); !done)
                return done;
        for (const std::string_view text : question.texts) {
            if (auto done = append(encoded(text.size())); !done)
                return done;
            if (auto done = append(std::as_bytes(std::span(text))); !done)
                return done;
        }
        return {};
    });
}

std::optional<JsonQuestion> decodeQuestion(std::span<const std::byte> bytes) {
    const auto limits = takeLimits(bytes);
    if (!limits)
        return std::nullopt;
    JsonQuestion question{*limits, {}};
    while (!bytes.empty()) {
        const auto length = takeNumber(bytes);
        if (!length || *length > bytes.size())
            return std::nullopt;
        question.texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), *length);
        bytes = bytes.subspan(*length);
    }
    return question;
}

JsonAnswers answerTo(const JsonQuestion& question) {
    JsonAnswers answers;
    for (const std::string_view text : question.texts) {
        const auto document = JsonDocument::parse(text, question.limits);
        if (document)
            answers.texts.emplace_back(encodeJson(*document));
        else
            answers.texts.emplace_back(shortened(document.error()));
    }
    return answers;
}

} // namespace headscope

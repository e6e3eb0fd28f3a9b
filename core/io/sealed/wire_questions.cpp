#include "core/io/sealed/wire.h"
#include "core/io/sealed/wire_codec.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace headscope {

namespace {

/// The last value of the enumeration.
constexpr std::uint8_t kLastWritten = static_cast<std::uint8_t>(WrittenType::Text);

void encode(WireEncoder& to, const Hdf5Plan& plan) {
    to.list(plan.arrays, [&](const PlannedArray& array) {
        to.text(array.path);
        to.shape(array.shape);
        to.choice(array.type);
        to.number(array.element_bytes);
        to.shape(array.chunk_shape);
        to.list(array.packed_bytes, [&](std::uint64_t bytes) { to.number(bytes); });
    });
    to.list(plan.texts, [&](const auto& named) {
        to.text(named.first);
        to.text(named.second);
    });
}

Hdf5Plan decodePlanParts(WireDecoder& from) {
    Hdf5Plan plan;
    from.list(41, [&] {
        PlannedArray& array = plan.arrays.emplace_back();
        array.path = from.text();
        array.shape = from.shape();
        array.type = from.choice<WrittenType>(kLastWritten);
        array.element_bytes = from.number<std::uint64_t>();
        array.chunk_shape = from.shape();
        from.list(8, [&] { array.packed_bytes.push_back(from.number<std::uint64_t>()); });
    });
    from.list(16, [&] {
        std::string name = from.text();
        plan.texts.emplace_back(std::move(name), from.text());
    });
    return plan;
}

void encode(WireEncoder& to, const JsonQuestion& question) {
    to.number(std::uint64_t{question.limits.depth});
    to.number(std::uint64_t{question.limits.values});
    to.flag(question.limits.unique_keys);
    to.number(std::uint64_t{question.limits.room});
    to.list(question.texts, [&](std::string_view text) { to.text(text); });
}

std::string_view takeText(WireDecoder& from) {
    const auto text = from.blob();
    return {reinterpret_cast<const char*>(text.data()), text.size()};
}

JsonQuestion decodeJsonQuestion(WireDecoder& from) {
    JsonQuestion question;
    question.limits.depth = from.number<std::uint64_t>();
    question.limits.values = from.number<std::uint64_t>();
    question.limits.unique_keys = from.flag();
    question.limits.room = from.number<std::uint64_t>();
    from.list(8, [&] { question.texts.push_back(takeText(from)); });
    return question;
}

void encode(WireEncoder& to, const SentencePieceQuestion& question) {
    to.text(question.model);
}

void encode(WireEncoder& to, const ReaderQuestion& question) {
    to.number(static_cast<std::uint8_t>(question.index()));
    std::visit([&](const auto& kind) { encode(to, kind); }, question);
}

ReaderQuestion decodeQuestionParts(WireDecoder& from) {
    if (from.choice<std::uint8_t>(1) == 0)
        return decodeJsonQuestion(from);
    return SentencePieceQuestion{takeText(from)};
}

template <class Parts>
Bytes encoded(const Parts& parts) {
    WireEncoder to;
    encode(to, parts);
    return to.finish();
}

} // namespace

Bytes encodePlan(const Hdf5Plan& plan) {
    return encoded(plan);
}

std::optional<Hdf5Plan> decodePlan(std::span<const std::byte> bytes) {
    return decoded(bytes, decodePlanParts);
}

Bytes encodeQuestion(const ReaderQuestion& question) {
    return encoded(question);
}

std::optional<ReaderQuestion> decodeQuestion(std::span<const std::byte> bytes) {
    return decoded(bytes, decodeQuestionParts);
}

} // namespace headscope

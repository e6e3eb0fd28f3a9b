#include "core/io/gguf/header_values.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headscope {

namespace {

constexpr std::size_t kHeaderBuffer = std::size_t{64} << 10;

} // namespace

HeaderBytes::HeaderBytes(const HeaderFile& file, std::size_t most)
    : file_(file), end_(std::min(file.bytes, most)) {}

std::string HeaderBytes::text() {
    const auto bytes = number<std::uint64_t>();
    if (error_)
        return {};
    if (bytes > left()) {
        fail(malformedGguf("a text in its header claims " + byteText(bytes) +
                           ", more than there is left"));
        return {};
    }
    std::string text(bytes, '\0');
    take(std::as_writable_bytes(std::span(text)));
    return error_ ? std::string() : text;
}

void HeaderBytes::fail(Error error) {
    if (!error_)
        error_ = std::move(error);
}

void HeaderBytes::take(std::span<std::byte> target) {
    if (!error_ && target.size() > left())
        fail(end_ < file_.bytes
                 ? Error{ErrorCode::TooLarge, "its header is longer than " + byteText(end_) +
                                                  "; download or save the file again"}
                 : malformedGguf("it ends in the middle of its header"));
    while (!error_ && !target.empty()) {
        if (position_ == buffer_end_)
            refill();
        const std::size_t count = std::min(target.size(), buffer_end_ - position_);
        std::copy_n(buffer_.end() - static_cast<std::ptrdiff_t>(buffer_end_ - position_), count,
                    target.begin());
        position_ += count;
        target = target.subspan(count);
    }
}

void HeaderBytes::refill() {
    buffer_.resize(std::min(kHeaderBuffer, left()));
    if (file_.read_at(position_, buffer_) < buffer_.size()) {
        fail(malformedGguf("its header cannot be read"));
        buffer_.clear();
    }
    buffer_end_ = position_ + buffer_.size();
}

Error malformedGguf(const std::string& reason) {
    return {ErrorCode::Malformed, reason + "; download or save the file again"};
}

namespace {

using Json = nlohmann::json;

/// gguf_metadata_value_type of the specification.
enum class MetadataType : std::uint32_t {
    Uint8,
    Int8,
    Uint16,
    Int16,
    Uint32,
    Int32,
    Float32,
    Bool,
    Text,
    Array,
    Uint64,
    Int64,
    Float64,
};

/// All tokens, merges, scores and token types of a large vocabulary together are two million.

/// As JSON texts say them (core/base/json.h): whoever needs a number there refuses them.
Json notFinite(double value) {
    if (std::isnan(value))
        return "NaN";
    return value > 0.0 ? "Infinity" : "-Infinity";
}

/// The decimal number that a float32 was written from: 1e-05 for 9.99999974737875e-06.
Json decimal(float value) {
    if (!std::isfinite(value))
        return notFinite(value);
    const std::string text = numberText(value);
    double number = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

Json finite(double value) {
    return std::isfinite(value) ? Json(value) : notFinite(value);
}

Json validText(std::string text) {
    return firstInvalidUtf8(text) == std::string::npos ? Json(std::move(text)) : Json();
}

} // namespace

Json MetadataReader::value(const std::string& key) {
    const auto type = bytes_.number<std::uint32_t>();
    return type == static_cast<std::uint32_t>(MetadataType::Array) ? array(key) : single(type, key);
}

Json MetadataReader::single(std::uint32_t type, const std::string& key) {
    if (++n_values_ > kMostMetadataValues)
        bytes_.fail({ErrorCode::TooLarge, "its metadata hold more than " +
                                              std::to_string(kMostMetadataValues) +
                                              " values; download or save the file again"});
    switch (static_cast<MetadataType>(type)) {
    case MetadataType::Uint8:
        return bytes_.number<std::uint8_t>();
    case MetadataType::Int8:
        return bytes_.number<std::int8_t>();
    case MetadataType::Uint16:
        return bytes_.number<std::uint16_t>();
    case MetadataType::Int16:
        return bytes_.number<std::int16_t>();
    case MetadataType::Uint32:
        return bytes_.number<std::uint32_t>();
    case MetadataType::Int32:
        return bytes_.number<std::int32_t>();
    case MetadataType::Float32:
        return decimal(bytes_.number<float>());
    case MetadataType::Bool:
        break;
    case MetadataType::Text:
        return validText(bytes_.text());
    case MetadataType::Uint64:
        return bytes_.number<std::uint64_t>();
    case MetadataType::Int64:
        return bytes_.number<std::int64_t>();
    case MetadataType::Float64:
        return finite(bytes_.number<double>());
    default:
        if (!bytes_.error())
            bytes_.fail(malformedGguf("its metadata " + inQuotes(key) + " have the type number " +
                                      std::to_string(type) + ", which does not exist"));
        return nullptr;
    }
    const auto flag = bytes_.number<std::uint8_t>();
    if (flag > 1)
        bytes_.fail(malformedGguf("its metadata " + inQuotes(key) + " have a bool of " +
                                  std::to_string(flag) + ", expected 0 or 1"));
    return flag == 1;
}

Json MetadataReader::array(const std::string& key) {
    const auto type = bytes_.number<std::uint32_t>();
    const auto count = bytes_.number<std::uint64_t>();
    if (bytes_.error())
        return nullptr;
    const std::size_t least = leastBytes(type);
    if (least == 0)
        bytes_.fail(malformedGguf("its metadata " + inQuotes(key) +
                                  " are an array of arrays or of values of the type number " +
                                  std::to_string(type) +
                                  ", expected one of numbers, bools or texts"));
    else if (count > bytes_.left() / least)
        bytes_.fail(malformedGguf("its metadata " + inQuotes(key) + " claim " +
                                  std::to_string(count) + " values, more than there is left"));
    Json values = Json::array();
    for (std::uint64_t i = 0; i < count && !bytes_.error(); ++i)
        values.push_back(single(type, key));
    return values;
}

std::size_t MetadataReader::leastBytes(std::uint32_t type) {
    switch (static_cast<MetadataType>(type)) {
    case MetadataType::Uint8:
    case MetadataType::Int8:
    case MetadataType::Bool:
        return 1;
    case MetadataType::Uint16:
    case MetadataType::Int16:
        return 2;
    case MetadataType::Uint32:
    case MetadataType::Int32:
    case MetadataType::Float32:
        return 4;
    case MetadataType::Text:
    case MetadataType::Uint64:
    case MetadataType::Int64:
    case MetadataType::Float64:
        return 8;
    default:
        return 0;
    }
}

} // namespace headscope

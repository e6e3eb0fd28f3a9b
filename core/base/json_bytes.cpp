#include "core/base/json_bytes.h"

#include "core/base/json/json_room.h"
#include "core/base/json/json_text.h"
#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

/// Whole is a number that JSON writes without a sign and Signed one with it, as 0, −1, 1, −2 …;
/// nlohmann::json tells them apart, too. End closes an array or an object.
enum class Tag : std::uint8_t { Null, False, True, Whole, Signed, Float, Text, Array, Object, End };

std::uint64_t withoutSign(std::int64_t value) {
    return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t withSign(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

/// Takes what the parser finds in a text and builds nothing of it.
class JsonEncoder {
public:
    std::vector<std::byte> take() { return std::move(bytes_); }

    // NOLINTBEGIN(readability-identifier-naming): names that nlohmann::json::sax_parse() calls
    bool null() { return tag(Tag::Null); }
    bool boolean(bool value) { return tag(value ? Tag::True : Tag::False); }
    bool number_unsigned(std::uint64_t value) { return tag(Tag::Whole) && number(value); }
    bool number_integer(std::int64_t value) {
        return tag(Tag::Signed) && number(withoutSign(value));
    }
    bool number_float(double value, const std::string&) {
        return tag(Tag::Float) && float64(value);
    }
    bool string(const std::string& value) { return tag(Tag::Text) && text(value); }
    bool binary(const Json::binary_t&) { return false; } // not in texts
    bool start_array(std::size_t) { return tag(Tag::Array); }
    bool end_array() { return tag(Tag::End); }
    bool start_object(std::size_t) { return tag(Tag::Object); }
    bool key(const std::string& value) { return string(value); }
    bool end_object() { return tag(Tag::End); }
    template <class Failure>
    bool parse_error(std::size_t, const std::string&, const Failure& failure) {
        throw failure;
    }
    // NOLINTEND(readability-identifier-naming)

private:
    bool tag(Tag value) { return byte(static_cast<std::uint8_t>(value)); }
    bool byte(std::uint64_t value) {
        bytes_.push_back(static_cast<std::byte>(value));
        return true;
    }
    /// The lowest byte first.
    bool float64(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (unsigned shift = 0; shift < 64; shift += 8)
            byte(bits >> shift & 0xFF);
        return true;
    }
    /// The lowest seven bits first; all bytes but the last have 128 more.
    bool number(std::uint64_t value) {
        for (; value >= 128; value >>= 7)
            byte((value & 127) | 128);
        return byte(value);
    }
    bool text(const std::string& value) {
        number(value.size());
        const auto bytes = std::as_bytes(std::span(value));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        return true;
    }

    std::vector<std::byte> bytes_;
};

/// Reads what a JsonEncoder wrote. After the first thing that is not there everything is empty.
class JsonDecoder {
public:
    JsonDecoder(std::span<const std::byte> bytes, const JsonLimits& limits, std::size_t text_bytes)
        : rest_(bytes), room_(limits, text_bytes) {}

    /// Without recursion: a text may be nested as deep as it is long.
    std::optional<Json> decode() {
        Json root;
        std::vector<Json*> open; // outermost first
        const auto fill = [&](Json& value, Tag tag) {
            read(tag, value);
            if (value.is_structured())
                open.push_back(&value);
        };
        fill(root, tag());
        while (!open.empty() && !broken_) {
            const Tag next = tag();
            if (next == Tag::End) {
                room_.close();
                open.pop_back();
            } else if (open.back()->is_array()) {
                fill(nextElement(*open.back()), next);
            } else {
                require(next == Tag::Text);
                Json& value = nextMember(*open.back());
                fill(value, tag());
            }
        }
        return broken_ || !rest_.empty() ? std::nullopt : std::optional(std::move(root));
    }

private:
    Tag tag() { return static_cast<Tag>(byte()); }

    void read(Tag tag, Json& value) {
        switch (tag) {
        case Tag::Null:
            value = nullptr;
            break;
        case Tag::False:
            value = false;
            break;
        case Tag::True:
            value = true;
            break;
        case Tag::Whole:
            value = number();
            break;
        case Tag::Signed:
            value = withSign(number());
            break;
        case Tag::Float:
            value = float64();
            break;
        case Tag::Text:
            value = text();
            require(room_.text());
            break;
        case Tag::Array:
            value = Json::array();
            require(room_.open());
            break;
        case Tag::Object:
            value = Json::object();
            require(room_.open());
            break;
        default:
            fail();
        }
    }

    Json& nextElement(Json& array) {
        require(array.empty() || room_.add());
        return array.emplace_back();
    }

    /// Reads a key and returns the place of its value. Of two members with one key the last one
    /// stays.
    Json& nextMember(Json& object) {
        require((object.empty() || room_.add()) && room_.text() && room_.name());
        return object.get_ref<Json::object_t&>()[text()];
    }

    void require(bool holds) {
        if (!holds)
            fail();
    }
    void fail() {
        broken_ = true;
        rest_ = {};
    }
    std::uint8_t byte() {
        const auto taken = take(1);
        return taken.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(taken.front());
    }
    std::span<const std::byte> take(std::uint64_t count) {
        require(count <= rest_.size());
        const auto taken = broken_ ? std::span<const std::byte>() : rest_.first(count);
        rest_ = rest_.subspan(taken.size());
        return taken;
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !broken_; shift += 7) {
            const std::uint64_t part = byte();
            value |= (part & 127) << shift;
            if (part < 128)
                return value;
        }
        fail();
        return 0;
    }
    double float64() {
        std::uint64_t bits = 0;
        for (unsigned shift = 0; shift < 64; shift += 8)
            bits |= std::uint64_t{byte()} << shift;
        const auto value = std::bit_cast<double>(bits);
        require(std::isfinite(value)); // JSON has no such number
        return broken_ ? 0.0 : value;
    }
    std::string text() {
        const auto bytes = take(number());
        std::string value(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        require(firstInvalidUtf8(value) == std::string::npos); // nor such a text
        return value;
    }

    std::span<const std::byte> rest_;
    JsonRoom room_;
    bool broken_ = false;
};

} // namespace

Result<std::vector<std::byte>> encodeJson(std::string_view text, const JsonLimits& limits) {
    return parseJson(text, limits, text.size(), [](std::string_view json) {
        JsonEncoder encoder;
        Json::sax_parse(json, &encoder);
        return encoder.take();
    });
}

std::optional<JsonDocument> decodeJson(std::span<const std::byte> bytes, const JsonLimits& limits,
                                       std::size_t text_bytes) {
    auto root = JsonDecoder(bytes, limits, text_bytes).decode();
    return root ? std::optional(JsonDocument(*std::move(root))) : std::nullopt;
}

} // namespace headscope

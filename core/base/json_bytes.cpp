#include "core/base/json_bytes.h"

#include "core/base/json/json_room.h"
#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

/// Whole is a number that JSON writes without a sign and Signed one with it, as 0, −1, 1, −2 …;
/// nlohmann::json tells them apart, too.
enum class Tag : std::uint8_t { Null, False, True, Whole, Signed, Float, Text, Array, Object };

std::uint64_t withoutSign(std::int64_t value) {
    return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t withSign(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

class JsonEncoder {
public:
    /// Without recursion: a text may be nested as deep as it is long.
    std::vector<std::byte> encode(const Json& root) {
        struct Open {
            Json::const_iterator next;
            Json::const_iterator end;
            bool is_object;
        };
        std::vector<Open> open;
        const auto add = [&](const Json& value) {
            write(value);
            if (value.is_structured())
                open.push_back({value.begin(), value.end(), value.is_object()});
        };
        add(root);
        while (!open.empty()) {
            Open& last = open.back();
            if (last.next == last.end) {
                open.pop_back();
                continue;
            }
            const auto at = last.next++;
            if (last.is_object)
                text(at.key());
            add(*at);
        }
        return std::move(bytes_);
    }

private:
    void write(const Json& value) {
        switch (value.type()) {
        case Json::value_t::boolean:
            return tag(value.get<bool>() ? Tag::True : Tag::False);
        case Json::value_t::number_unsigned:
            tag(Tag::Whole);
            return number(value.get<std::uint64_t>());
        case Json::value_t::number_integer:
            tag(Tag::Signed);
            return number(withoutSign(value.get<std::int64_t>()));
        case Json::value_t::number_float:
            tag(Tag::Float);
            return float64(value.get<double>());
        case Json::value_t::string:
            tag(Tag::Text);
            return text(value.get_ref<const std::string&>());
        case Json::value_t::array:
            tag(Tag::Array);
            return number(value.size());
        case Json::value_t::object:
            tag(Tag::Object);
            return number(value.size());
        default:
            return tag(Tag::Null);
        }
    }
    void tag(Tag value) { bytes_.push_back(static_cast<std::byte>(value)); }
    /// The lowest byte first.
    void float64(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (unsigned shift = 0; shift < 64; shift += 8)
            bytes_.push_back(static_cast<std::byte>(bits >> shift & 0xFF));
    }
    /// The lowest seven bits first; all bytes but the last have 128 more.
    void number(std::uint64_t value) {
        for (; value >= 128; value >>= 7)
            bytes_.push_back(static_cast<std::byte>((value & 127) | 128));
        bytes_.push_back(static_cast<std::byte>(value));
    }
    void text(const std::string& value) {
        number(value.size());
        const auto bytes = std::as_bytes(std::span(value));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }

    std::vector<std::byte> bytes_;
};

/// Reads what a JsonEncoder wrote. After the first thing that is not there everything is empty.
class JsonDecoder {
public:
    JsonDecoder(std::span<const std::byte> bytes, const JsonLimits& limits, std::size_t text_bytes)
        : rest_(bytes), room_(limits, text_bytes) {}

    std::optional<Json> decode() {
        struct Open {
            Json* value;
            std::uint64_t left;
        };
        std::vector<Open> open;
        Json root;
        const auto fill = [&](Json& value) {
            const std::uint64_t inside = read(value);
            if (value.is_structured())
                open.push_back({&value, inside});
        };
        fill(root);
        while (!open.empty() && !broken_) {
            Open& last = open.back();
            if (last.left == 0) {
                room_.close();
                open.pop_back();
            } else {
                --last.left;
                if (Json* const next = nextIn(*last.value))
                    fill(*next);
            }
        }
        return broken_ || !rest_.empty() ? std::nullopt : std::optional(std::move(root));
    }

private:
    /// How many values are inside.
    std::uint64_t read(Json& value) {
        switch (static_cast<Tag>(byte())) {
        case Tag::Null:
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
            break;
        case Tag::Array:
            value = Json::array();
            return openArray(value.get_ref<Json::array_t&>());
        case Tag::Object:
            value = Json::object();
            return openObject();
        default:
            fail();
        }
        return 0;
    }

    std::uint64_t openArray(Json::array_t& array) {
        const std::uint64_t inside = count(1);
        if (!broken_)
            array.reserve(inside);
        return inside;
    }
    std::uint64_t openObject() {
        const std::uint64_t inside = count(2);
        if (!room_.name(inside))
            fail();
        return broken_ ? 0 : inside;
    }
    /// Of values that take `least` bytes or more.
    std::uint64_t count(std::size_t least) {
        const std::uint64_t inside = number();
        if (inside > rest_.size() / least || !room_.open() ||
            !room_.add(inside - std::min<std::uint64_t>(inside, 1)))
            fail();
        return broken_ ? 0 : inside;
    }

    Json* nextIn(Json& value) {
        return value.is_array() ? &value.emplace_back()
                                : nextMember(value.get_ref<Json::object_t&>());
    }
    /// Null where its key does not come after all keys before it.
    Json* nextMember(Json::object_t& members) {
        std::string key = text();
        if (!members.empty() && std::prev(members.end())->first >= key)
            fail();
        return broken_ ? nullptr
                       : &members.emplace_hint(members.end(), std::move(key), nullptr)->second;
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
        if (count > rest_.size())
            fail();
        const auto taken = broken_ ? std::span<const std::byte>() : rest_.first(count);
        rest_ = rest_.subspan(taken.size());
        return taken;
    }
    /// In as few bytes as it takes.
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !broken_; shift += 7) {
            const std::uint64_t part = byte();
            const bool is_last = part < 128;
            if ((is_last && part == 0 && shift > 0) || (shift == 63 && part > 1))
                break;
            value |= (part & 127) << shift;
            if (is_last)
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
        if (!std::isfinite(value)) // JSON has no such number
            fail();
        return broken_ ? 0.0 : value;
    }
    std::string text() {
        const auto bytes = take(number());
        std::string value(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (firstInvalidUtf8(value) != std::string::npos) // nor such a text
            fail();
        return value;
    }

    std::span<const std::byte> rest_;
    JsonRoom room_;
    bool broken_ = false;
};

} // namespace

std::vector<std::byte> encodeJson(const JsonDocument& document) {
    return JsonEncoder().encode(document.root().json());
}

std::optional<JsonDocument> decodeJson(std::span<const std::byte> bytes, const JsonLimits& limits,
                                       std::size_t text_bytes) {
    auto root = JsonDecoder(bytes, limits, text_bytes).decode();
    return root ? std::optional(JsonDocument(*std::move(root))) : std::nullopt;
}

} // namespace headscope

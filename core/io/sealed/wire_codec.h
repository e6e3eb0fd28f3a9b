#pragma once

#include "core/io/files/tensor_reading.h"
#include "core/io/sealed/file_description.h"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace headscope {

// How parts are put into bytes and taken out of them (wire.h).

/// Puts parts one after the other.
class WireEncoder {
public:
    void number(std::unsigned_integral auto value) {
        for (std::size_t i = 0; i < sizeof(value); ++i)
            bytes_.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFF));
    }
    void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void choice(Enum value) { number(static_cast<std::uint8_t>(value)); }
    void blob(std::span<const std::byte> value) {
        number(std::uint64_t{value.size()});
        bytes_.insert(bytes_.end(), value.begin(), value.end());
    }
    void text(std::string_view value) { blob(std::as_bytes(std::span(value))); }
    void shape(const Shape& value) {
        list(value, [this](std::size_t size) { number(std::uint64_t{size}); });
    }
    template <class List, class Each>
    void list(const List& values, Each each) {
        number(std::uint64_t{values.size()});
        for (const auto& value : values)
            each(value);
    }

    Bytes finish() {
        WireEncoder length;
        length.number(std::uint64_t{bytes_.size()});
        bytes_.insert(bytes_.begin(), length.bytes_.begin(), length.bytes_.end());
        return std::move(bytes_);
    }

private:
    Bytes bytes_;
};

/// Reads what a WireEncoder wrote. After the first thing that is not there everything is zero or
/// empty, and isBroken() tells.
class WireDecoder {
public:
    explicit WireDecoder(std::span<const std::byte> bytes) : rest_(bytes) {}

    bool isBroken() const { return broken_; }
    bool isAtEnd() const { return rest_.empty() && !broken_; }

    template <std::unsigned_integral Number>
    Number number() {
        return static_cast<Number>(littleEndian(take(sizeof(Number))));
    }
    bool flag() { return choice<std::uint8_t>(1) == 1; }
    template <class Enum>
    Enum choice(std::uint8_t last) {
        const auto value = number<std::uint8_t>();
        if (value > last)
            fail();
        return static_cast<Enum>(broken_ ? std::uint8_t{0} : value);
    }
    std::span<const std::byte> blob() { return take(number<std::uint64_t>()); }
    std::string text() {
        const auto bytes = blob();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    Shape shape() {
        Shape value;
        list(sizeof(std::uint64_t), [&] { value.push_back(number<std::uint64_t>()); });
        return value;
    }
    /// Calls `each` for every element of a list whose elements take `least` bytes or more.
    template <class Each>
    void list(std::size_t least, Each each, std::uint64_t most = UINT64_MAX) {
        const auto count = number<std::uint64_t>();
        if (count > rest_.size() / least || count > most)
            fail();
        for (std::uint64_t i = 0; i < count && !broken_; ++i)
            each();
    }

private:
    void fail() {
        broken_ = true;
        rest_ = {};
    }
    std::span<const std::byte> take(std::uint64_t count) {
        if (count > rest_.size())
            fail();
        const auto taken = broken_ ? std::span<const std::byte>() : rest_.first(count);
        rest_ = rest_.subspan(taken.size());
        return taken;
    }

    std::span<const std::byte> rest_;
    bool broken_ = false;
};

/// Whether the length that comes first is that of the rest.
inline bool hasItsLength(WireDecoder& from, std::span<const std::byte> bytes) {
    return from.number<std::uint64_t>() ==
           bytes.size() - std::min(bytes.size(), sizeof(std::uint64_t));
}

/// All parts of a message, as `parts_of` takes them; nothing where there are fewer or more.
template <class Parts>
std::optional<Parts> decoded(std::span<const std::byte> bytes, Parts (*parts_of)(WireDecoder&)) {
    WireDecoder from(bytes);
    if (!hasItsLength(from, bytes))
        return std::nullopt;
    Parts parts = parts_of(from);
    return from.isAtEnd() ? std::optional(std::move(parts)) : std::nullopt;
}

} // namespace headscope

#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// Arrays of metadata may hold this many values in all.
inline constexpr std::size_t kMostMetadataValues = 10'000'000;

/// What a header is read from.
struct HeaderFile {
    std::size_t bytes = 0;
    /// Fills its target from a byte of the file on; returns how many bytes there were.
    std::function<std::size_t(std::size_t offset, std::span<std::byte> target)> read_at;
};

/// Takes little-endian numbers and texts from the start of a file on. The first failure stays, and
/// everything after it is zero or empty, so that a reader asks once in a while.
class HeaderBytes {
public:
    /// No more than `most` bytes are read.
    HeaderBytes(const HeaderFile& file, std::size_t most);

    template <class Number>
    requires std::integral<Number> || std::floating_point<Number> Number number() {
        std::array<std::byte, sizeof(Number)> bytes{};
        take(bytes);
        Number value{};
        std::memcpy(&value, bytes.data(), sizeof(Number));
        return value;
    }

    /// u64 length, then the bytes.
    std::string text();

    std::size_t position() const { return position_; }
    /// How many bytes there are still, of those that may be read.
    std::size_t left() const { return end_ - position_; }

    void fail(Error error);
    const std::optional<Error>& error() const { return error_; }

private:
    void take(std::span<std::byte> target);
    void refill();

    const HeaderFile& file_;
    std::size_t end_;
    std::size_t position_ = 0;      ///< of the next byte, in the file
    std::vector<std::byte> buffer_; ///< bytes of the file before buffer_end_
    std::size_t buffer_end_ = 0;
    std::optional<Error> error_;
};

/// "…; download or save the file again"
Error malformedGguf(const std::string& reason);

/// Reads the values of GGUF's metadata, and no more of them than a model has.
class MetadataReader {
public:
    explicit MetadataReader(HeaderBytes& bytes) : bytes_(bytes) {}

    /// u32 type, then the value: a number, a bool, a text, or an array of one of these. Failures
    /// are left in the bytes; `key` is for their messages.
    nlohmann::json value(const std::string& key);

private:
    nlohmann::json single(std::uint32_t type, const std::string& key);
    nlohmann::json array(const std::string& key);
    /// The fewest bytes that a value of this type takes; 0 for what may not be in an array.
    static std::size_t leastBytes(std::uint32_t type);

    HeaderBytes& bytes_;
    std::size_t n_values_ = 0;
};

} // namespace headscope

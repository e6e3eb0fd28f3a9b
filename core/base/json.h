#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What a JSON text from outside may hold at most.
struct JsonLimits {
    std::size_t depth =
        std::numeric_limits<std::size_t>::max(); ///< objects and arrays in each other
    std::size_t values = std::numeric_limits<std::size_t>::max(); ///< all together
    /// Refuses an object that has a key twice: it means different things to different readers.
    /// Otherwise the last one counts.
    bool unique_keys = false;
    /// Bytes that its values may take beside eight for each of its text.
    std::size_t room = std::size_t{64} << 20;
};

struct JsonMember;

/// One value of a JSON document, which must outlive it. Cheap to copy. A getter gives nothing when
/// the value is of another type.
class JsonValue {
public:
    explicit JsonValue(const nlohmann::json& value) : value_(&value) {}

    bool isNull() const;
    bool isObject() const;
    bool isArray() const;
    /// A number without a fraction, of either sign and any size.
    bool isInteger() const;

    std::optional<bool> boolean() const;
    std::optional<double> number() const;
    /// A whole number that is not negative.
    std::optional<std::uint64_t> whole() const;
    /// Null when the value is no text.
    const std::string* text() const;

    /// How many elements or members it has; 0 for what is neither array nor object.
    std::size_t size() const;
    /// Empty for what is no array.
    std::vector<JsonValue> elements() const;
    /// One element of an array that has that many.
    JsonValue element(std::size_t index) const;
    /// Sorted by key; empty for what is no object.
    std::vector<JsonMember> members() const;
    /// Nothing when the key is missing or the value is no object.
    std::optional<JsonValue> find(std::string_view key) const;
    /// The same, with null for what is missing.
    JsonValue member(std::string_view key) const;

    /// For a message: the first 40 characters of a text, a number, or "an object" and "an array".
    std::string shown() const;
    /// The value as JSON without spaces; for documents of limited depth.
    std::string dump() const;
    /// For those who write JSON, too.
    const nlohmann::json& json() const { return *value_; }

private:
    const nlohmann::json* value_;
};

struct JsonMember {
    std::string_view key;
    JsonValue value;
};

/// A JSON text that was read. Copies share it.
class JsonDocument {
public:
    /// For those who make JSON, too.
    explicit JsonDocument(nlohmann::json root);

    /// Refuses what would take more memory than eight times the text and 64 MB.
    /// The message of an error continues a sentence: "is not valid JSON at byte 17", "is nested
    /// more than 4 deep", "has the key 'w' twice". Infinity and NaN, which Python writes and which
    /// are no JSON, become texts: who reads a number there finds none.
    static Result<JsonDocument> parse(std::string_view text, const JsonLimits& limits = {});

    JsonValue root() const { return JsonValue(*root_); }

private:
    std::shared_ptr<const nlohmann::json> root_;
};

} // namespace headscope

#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// A place in a tokenizer.json. Every accessor checks the type; errors name the file, the place,
/// what was expected and what was found.
class JsonView {
public:
    /// Parses at most 256 MB and 16 million values.
    static Result<JsonView> parse(std::string_view text, std::string_view source);

    bool isNull() const { return value_.isNull(); }
    /// The bare value, for long lists; member() and element() then give the place of an error.
    JsonValue value() const { return value_; }

    /// The value of an object; the same as null when the key is missing.
    Result<JsonView> member(std::string_view key) const;
    /// The elements of an array that is nested at most 32 levels deep.
    Result<std::vector<JsonView>> elements() const;
    /// One element of what is known to be an array.
    JsonView element(std::size_t index) const;

    Result<std::string> string() const;
    /// A whole number from 0 to `most`.
    Result<std::size_t> number(std::size_t most) const;

    Result<std::string> string(std::string_view key) const;
    /// Nothing when the key is missing or null.
    Result<std::optional<std::string>> optionalString(std::string_view key) const;
    /// `fallback` when the key is missing or null; without a fallback that is an error.
    Result<bool> boolean(std::string_view key, std::optional<bool> fallback = std::nullopt) const;
    Result<std::vector<JsonView>> elements(std::string_view key) const;

    /// Fails on a key that is neither `keys` nor null: what it asks for is not known.
    Result<void> allowOnly(std::initializer_list<std::string_view> keys) const;

    /// "gpt2.json: the tokenizer's model.vocab must be an object, found 3."
    Error expected(std::string_view expectation) const;
    /// "gpt2.json: the tokenizer's model.merges[3] needs …"
    Error malformed(std::string_view what) const;
    /// "gpt2.json: the tokenizer's normalizer asks for the type "ByteLevel", which …"
    Error unsupported(std::string_view what) const;

private:
    JsonView(JsonDocument document, std::string_view source)
        : document_(std::move(document)), value_(document_.root()), source_(source) {}

    JsonDocument document_;
    JsonValue value_;
    std::string source_;
    std::string path_;
    std::size_t depth_ = 0;
};

} // namespace headscope

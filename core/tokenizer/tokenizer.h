#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Half-open range [begin, end) of Unicode code points of the text that was encoded.
struct TextRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const TextRange&) const = default;
};

/// Text as a tokenizer sees it. The three lists have one entry per token.
struct Encoding {
    TokenIds ids;
    std::vector<std::string> tokens;  ///< as written in the vocabulary ("Ġthe")
    std::vector<TextRange> offsets;   ///< where each token came from
};

/// Text ↔ token ids, built from the text of a Hugging Face tokenizer.json. Immutable and
/// thread-safe once made. What the file asks for and Headscope does not implement is refused by
/// name when the tokenizer is made, never approximated.
class Tokenizer {
public:
    /// `source` names the file in error messages.
    static Result<std::shared_ptr<const Tokenizer>> fromJson(std::string_view json,
                                                             std::string_view source);
    virtual ~Tokenizer() = default;

    /// Fails on text that is not UTF-8, and on a character the vocabulary cannot express when it
    /// has no unknown token. `add_special_tokens` runs the file's post-processor (BOS, CLS, SEP).
    virtual Result<Encoding> encode(std::string_view text, bool add_special_tokens) const = 0;

    virtual std::string decode(std::span<const TokenId> ids, bool skip_special_tokens) const = 0;

    /// Largest id + 1.
    virtual std::size_t vocabularySize() const = 0;

    /// As written in the vocabulary; nothing for an id that has no token.
    virtual std::optional<std::string> token(TokenId id) const = 0;
    virtual std::optional<TokenId> id(std::string_view token) const = 0;
    virtual bool isSpecial(TokenId id) const = 0;

    /// The text one token stands for, for display: bytes that are no UTF-8 on their own appear as
    /// "\xE2"-style escapes. Whitespace is kept as it is; views make it visible.
    virtual std::string piece(TokenId id) const = 0;

    /// The id that encode(text, true) puts first on every text, if the file says so.
    virtual std::optional<TokenId> prefixToken() const = 0;

    /// "byte-level BPE", "WordLevel", "BPE"
    virtual std::string_view kind() const = 0;
};

} // namespace headscope

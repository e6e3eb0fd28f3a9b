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

/// Text as a tokenizer sees it. The first three lists have one entry per token.
struct Encoding {
    TokenIds ids;
    /// As written in the vocabulary ("Ġthe"); an added token as it was found in the text, with the
    /// spaces it takes along.
    std::vector<std::string> tokens;
    /// Where each token came from. Tokens that share one character share its range; tokens of the
    /// post-processor have [0, 0).
    std::vector<TextRange> offsets;
    /// For post-processors: whether each token begins with a space that was put before a text and
    /// is none of it.
    std::vector<bool> prefixed = {};
};

/// One place of what a tokenizer makes of two texts: either of them, or a token of its own.
struct PairPlace {
    enum class Kind { First, Second, Token };
    Kind kind = Kind::Token;
    TokenId id = 0;          ///< of a token
    std::size_t segment = 0; ///< "type_id": which row of the token types its tokens add

    bool operator==(const PairPlace&) const = default;
};

/// A token that is found in the text as a whole, before the model sees it.
struct AddedToken {
    TokenId id = 0;
    std::string content; ///< as written in the vocabulary
    std::string form;    ///< what the text holds and what decoding gives: the content, normalized
    bool single_word = false; ///< not where it touches a character of a word
    bool lstrip = false;      ///< takes the spaces before it along
    bool rstrip = false;      ///< takes the spaces after it along
    bool normalized = false;  ///< searched for in the normalized text
    bool special = false;     ///< can be skipped when decoding
};

/// Text ↔ token ids. Immutable and thread-safe once made.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    /// Fails on text that is not UTF-8 or longer than 50 MB, on a character the vocabulary cannot
    /// express when it has no unknown token, and on a regular expression that takes too many steps.
    /// `add_special_tokens` lets the tokenizer add what it puts around a text (BOS, CLS, SEP).
    Result<Encoding> encode(std::string_view text, bool add_special_tokens) const;

    /// Ids without a token are left out, bytes that are no UTF-8 become U+FFFD.
    virtual std::string decode(std::span<const TokenId> ids, bool skip_special_tokens) const = 0;

    /// Largest id + 1.
    virtual std::size_t vocabularySize() const = 0;

    /// As written in the vocabulary; nothing for an id that has no token.
    virtual std::optional<std::string> token(TokenId id) const = 0;
    virtual std::optional<TokenId> id(std::string_view token) const = 0;
    virtual bool isSpecial(TokenId id) const = 0;

    /// The text of one token, for display: bytes that are no UTF-8 on their own appear as
    /// "\xE2"-style escapes. Whitespace is kept as it is; views make it visible. Empty for an id
    /// that has no token.
    virtual std::string piece(TokenId id) const = 0;

    /// The id that encode(text, true) puts first on every text, if the file says so.
    virtual std::optional<TokenId> prefixToken() const = 0;

    /// What encode(text, true) would make of two texts, in order, when the file has a template that
    /// puts tokens between them; empty when it has none.
    virtual std::vector<PairPlace> pairTemplate() const { return {}; }

    /// The token for text that the vocabulary cannot express, if the file names such a token.
    virtual std::optional<TokenId> unknownToken() const = 0;

    /// "byte-level BPE", "BPE", "Unigram", "WordPiece", "WordLevel"
    virtual std::string_view kind() const = 0;

    /// What the file asks for and is left aside, one sentence each.
    virtual std::vector<std::string> notes() const { return {}; }

protected:
    Tokenizer() = default;

    /// `text` is valid UTF-8 of at most 50 MB.
    virtual Result<Encoding> encodeValid(std::string_view text, bool add_special_tokens) const = 0;
};

/// From the text of a Hugging Face tokenizer.json; `source` names it in error messages. What it
/// asks for and Headscope does not implement is refused by name, never approximated. Its
/// `truncation` and `padding` belong to batches and are left aside.
Result<std::shared_ptr<const Tokenizer>> readTokenizerJson(std::string_view json,
                                                           std::string_view source);

/// The largest sentencepiece model that is read; four times the largest in use.
inline constexpr std::size_t kLargestSentencePieceFile = 32'000'000;

/// What a sentencepiece model does not say itself.
struct SentencePieceOptions {
    bool add_bos = true; ///< as in Llama, when the model has a BOS piece
    bool add_eos = false;
    std::vector<AddedToken> added_tokens = {}; ///< ids may go beyond the model's pieces
};

/// A sentencepiece model (Kudo & Richardson 2018), run by libsentencepiece, from the bytes of a
/// `tokenizer.model`; `source` names it in error messages. Its control pieces (<s>, </s>) and the
/// added tokens are found in a text as a whole; the text between them is tokenized part by part.
Result<std::shared_ptr<const Tokenizer>>
readSentencePiece(std::string_view model, std::string_view source,
                  const SentencePieceOptions& options = {});

} // namespace headscope

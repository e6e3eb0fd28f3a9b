#pragma once

#include "core/tokenizer/decoders/decoders.h"
#include "core/tokenizer/models/token_model.h"
#include "core/tokenizer/normalizers/aligned_text.h"
#include "core/tokenizer/pipeline/added_tokens.h"
#include "core/tokenizer/post_processors/post_processors.h"
#include "core/tokenizer/pre_tokenizers/pre_tokenizers.h"
#include "core/tokenizer/tokenizer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// In the order in which text passes through them.
struct TokenizerParts {
    std::unique_ptr<const Normalizer> normalizer;
    AddedTokens added_tokens;
    std::unique_ptr<const PreTokenizer> pre_tokenizer;
    std::unique_ptr<const TokenModel> model;
    std::unique_ptr<const PostProcessor> post_processor;
    std::unique_ptr<const Decoder> decoder;
};

/// A tokenizer.json: parts through which a text passes one after the other.
class PipelineTokenizer : public Tokenizer {
public:
    explicit PipelineTokenizer(TokenizerParts parts) : parts_(std::move(parts)) {}

    /// An id that the post-processor adds of its own and that has no token here, if there is one.
    std::optional<TokenId> foreignSpecialToken() const;

    std::string decode(std::span<const TokenId> ids, bool skip_special_tokens) const override;
    std::size_t vocabularySize() const override;
    std::optional<std::string> token(TokenId id) const override;
    std::optional<TokenId> id(std::string_view token) const override;
    bool isSpecial(TokenId id) const override;
    std::string piece(TokenId id) const override;
    std::optional<TokenId> prefixToken() const override;
    std::vector<PairPlace> pairTemplate() const override;
    std::optional<TokenId> unknownToken() const override;
    std::string_view kind() const override;
    std::vector<std::string> notes() const override;

protected:
    Result<Encoding> encodeValid(std::string_view text, bool add_special_tokens) const override;

private:
    /// Null for an id that has no token.
    const std::string* content(TokenId id) const;
    /// What the decoder gets to see; null for an id that has no token.
    const std::string* form(TokenId id) const;
    /// The tokens of every split; `original` is the text before it was normalized.
    Result<Encoding> tokenize(const SplitText& text, std::string_view original) const;

    TokenizerParts parts_;
};

} // namespace headscope

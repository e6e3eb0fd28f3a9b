#include "core/loading/dialects/gguf/gguf_tokenizer.h"

#include <optional>
#include <string>

namespace headscope {

namespace {

JsonValue tokenizerMember(JsonValue metadata, std::string_view key) {
    return metadata.member("tokenizer.ggml." + std::string(key));
}

/// Empty when it is missing or no text.
std::string textOf(JsonValue metadata, std::string_view key) {
    const std::string* const text = tokenizerMember(metadata, key).text();
    return text != nullptr ? *text : std::string();
}

/// Texts that are none become empty, which no token is.
std::vector<std::string> textsOf(JsonValue metadata, std::string_view key) {
    const JsonValue list = tokenizerMember(metadata, key);
    std::vector<std::string> texts;
    texts.reserve(list.size());
    for (std::size_t i = 0; list.isArray() && i < list.size(); ++i) {
        const std::string* const text = list.element(i).text();
        texts.push_back(text != nullptr ? *text : std::string());
    }
    return texts;
}

template <class Number>
std::vector<Number> numbersOf(JsonValue metadata, std::string_view key) {
    const JsonValue list = tokenizerMember(metadata, key);
    std::vector<Number> numbers;
    numbers.reserve(list.size());
    for (std::size_t i = 0; list.isArray() && i < list.size(); ++i)
        numbers.push_back(static_cast<Number>(list.element(i).number().value_or(0.0)));
    return numbers;
}

std::optional<TokenId> idOf(JsonValue metadata, std::string_view key, std::size_t n_tokens) {
    const auto id = tokenizerMember(metadata, key).whole();
    return id && *id < n_tokens ? std::optional(static_cast<TokenId>(*id)) : std::nullopt;
}

} // namespace

Result<RewrittenTokenizer> ggufTokenizer(JsonValue metadata, std::string_view source) {
    if (const std::string* const json = metadata.member("tokenizer.huggingface.json").text())
        return RewrittenTokenizer{*json, {}};
    GgmlTokenizer tokenizer;
    tokenizer.model = textOf(metadata, "model");
    tokenizer.pre_tokenizer = textOf(metadata, "pre");
    tokenizer.tokens = textsOf(metadata, "tokens");
    tokenizer.merges = textsOf(metadata, "merges");
    tokenizer.scores = numbersOf<double>(metadata, "scores");
    for (const int type : numbersOf<int>(metadata, "token_type"))
        tokenizer.types.push_back(static_cast<GgmlTokenType>(type));
    for (const int byte : numbersOf<int>(metadata, "precompiled_charsmap"))
        tokenizer.chars_map.push_back(static_cast<char>(byte));
    const std::size_t n_tokens = tokenizer.tokens.size();
    tokenizer.bos = idOf(metadata, "bos_token_id", n_tokens);
    tokenizer.eos = idOf(metadata, "eos_token_id", n_tokens);
    tokenizer.unknown = idOf(metadata, "unknown_token_id", n_tokens);
    tokenizer.separator = idOf(metadata, "seperator_token_id", n_tokens); // as it is spelled there
    tokenizer.add_bos = tokenizerMember(metadata, "add_bos_token").boolean();
    tokenizer.add_eos = tokenizerMember(metadata, "add_eos_token").boolean();
    tokenizer.add_separator = tokenizerMember(metadata, "add_sep_token").boolean();
    tokenizer.add_space_prefix = tokenizerMember(metadata, "add_space_prefix").boolean();
    return rewriteGgml(tokenizer, source);
}

} // namespace headscope

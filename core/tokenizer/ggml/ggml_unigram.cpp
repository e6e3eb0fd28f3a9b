#include "core/tokenizer/ggml/ggml_parts.h"

#include <nettle/base64.h>

#include <algorithm>
#include <cstdint>

namespace headscope {

namespace {

using Json = nlohmann::json;

std::string toBase64(const std::string& bytes) {
    std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
    base64_encode_raw(text.data(), bytes.size(),
                      reinterpret_cast<const std::uint8_t*>(bytes.data()));
    return text;
}

Json metaspace() {
    return {
        {"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}, {"split", true}};
}

Json scoredPieces(const GgmlTokenizer& tokenizer) {
    Json pieces = Json::array();
    for (std::size_t id = 0; id < tokenizer.tokens.size(); ++id)
        pieces.push_back(Json::array({tokenizer.tokens[id], tokenizer.scores[id]}));
    return pieces;
}

/// The id of the unknown piece, which every text with a rare character needs.
Json unknownId(const GgmlTokenizer& tokenizer) {
    const auto found = std::ranges::find(tokenizer.types, GgmlTokenType::Unknown);
    if (found != tokenizer.types.end())
        return found - tokenizer.types.begin();
    return tokenizer.unknown ? Json(*tokenizer.unknown) : Json();
}

} // namespace

Result<Json> ggmlUnigram(const GgmlTokenizer& tokenizer) {
    constexpr std::size_t largest_map = std::size_t{64} << 20;
    if (tokenizer.scores.size() != tokenizer.tokens.size() ||
        tokenizer.chars_map.size() > largest_map)
        return Error{ErrorCode::Malformed,
                     "it is a Unigram model with " + std::to_string(tokenizer.scores.size()) +
                         " scores for " + std::to_string(tokenizer.tokens.size()) +
                         " tokens, or with a table of characters that is "
                         "too large"};
    if (!tokenizer.add_space_prefix.value_or(true))
        return Error{ErrorCode::Unsupported, "it is a Unigram model that puts no space before a "
                                             "text, which is not supported"};
    Json file;
    file["added_tokens"] = ggmlAddedTokens(tokenizer);
    if (!tokenizer.chars_map.empty())
        file["normalizer"] = {{"type", "Precompiled"},
                              {"precompiled_charsmap", toBase64(tokenizer.chars_map)}};
    file["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers", Json::array({Json{{"type", "WhitespaceSplit"}}, metaspace()})}};
    file["post_processor"] =
        ggmlAround(tokenizer, tokenizer.add_bos.value_or(false) ? tokenizer.bos : std::nullopt,
                   tokenizer.add_eos.value_or(true) ? tokenizer.eos : std::nullopt);
    file["decoder"] = metaspace();
    file["model"] = {
        {"type", "Unigram"}, {"unk_id", unknownId(tokenizer)}, {"vocab", scoredPieces(tokenizer)}};
    return file;
}

} // namespace headscope

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/tokenizer/ggml/ggml_parts.h"

#include <nettle/base64.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace headscope {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kMetaspace = "▁";
/// Real pieces have a few dozen characters; finding the parts of one takes the square of that.
constexpr std::size_t kLongestPiece = 128;
constexpr std::size_t kMostMerges = 4'000'000;

/// One way in which a piece is made of two others.
struct PieceMerge {
    double score = 0.0; ///< of the whole
    std::size_t left_characters = 0;
    std::size_t right_characters = 0;
    std::string_view left;
    std::string_view right;
    std::size_t left_id = 0;
    std::size_t right_id = 0;
};

/// The ids of the pieces that texts are made of.
using PieceIds = std::unordered_map<std::string_view, std::size_t>;

PieceIds normalPieces(const GgmlTokenizer& tokenizer) {
    PieceIds ids;
    for (std::size_t id = 0; id < tokenizer.tokens.size(); ++id)
        if (typeOf(tokenizer, id) == GgmlTokenType::Normal)
            ids.emplace(tokenizer.tokens[id], id);
    return ids;
}

/// All ways to make one piece of two, ordered by the ids of these.
void addMerges(std::string_view piece, double score, const PieceIds& ids,
               std::vector<PieceMerge>& merges) {
    const std::size_t first = merges.size();
    const std::size_t n_characters = characterCount(piece);
    std::size_t characters = 0;
    for (std::size_t cut = utf8Length(piece.front()); cut < piece.size();
         cut += utf8Length(piece[cut])) {
        ++characters;
        const auto left = ids.find(piece.substr(0, cut));
        const auto right = ids.find(piece.substr(cut));
        if (left != ids.end() && right != ids.end())
            merges.push_back({score, characters, n_characters - characters, left->first,
                              right->first, left->second, right->second});
    }
    std::sort(merges.begin() + static_cast<std::ptrdiff_t>(first), merges.end(),
              [](const PieceMerge& a, const PieceMerge& b) {
                  return std::tie(a.left_id, a.right_id) < std::tie(b.left_id, b.right_id);
              });
}

/// Merges in the order of their scores, as transformers gets them from a sentencepiece model
/// (generate_merges of convert_slow_tokenizer.py).
Result<Json> mergesOf(const GgmlTokenizer& tokenizer) {
    const PieceIds ids = normalPieces(tokenizer);
    std::vector<PieceMerge> merges;
    for (std::size_t id = 0; id < tokenizer.tokens.size(); ++id) {
        const std::string& piece = tokenizer.tokens[id];
        if (typeOf(tokenizer, id) != GgmlTokenType::Normal || piece.empty())
            continue;
        if (characterCount(piece) > kLongestPiece)
            return Error{ErrorCode::TooLarge, "the token " + std::to_string(id) + " has " +
                                                  std::to_string(characterCount(piece)) +
                                                  " characters, expected at most " +
                                                  std::to_string(kLongestPiece)};
        addMerges(piece, tokenizer.scores[id], ids, merges);
        if (merges.size() > kMostMerges)
            return Error{ErrorCode::TooLarge, "its tokens are made of one another in more than " +
                                                  std::to_string(kMostMerges) + " ways"};
    }
    std::stable_sort(merges.begin(), merges.end(), [](const PieceMerge& a, const PieceMerge& b) {
        return std::tie(a.score, a.left_characters, a.right_characters) >
               std::tie(b.score, b.left_characters, b.right_characters);
    });
    Json list = Json::array();
    for (const PieceMerge& merge : merges)
        list.push_back(Json::array({merge.left, merge.right}));
    return list;
}

/// Scores that are all the same mean that the file has lost the order.
bool hasOrder(const GgmlTokenizer& tokenizer) {
    std::optional<double> first;
    for (std::size_t id = 0; id < tokenizer.scores.size(); ++id) {
        if (typeOf(tokenizer, id) != GgmlTokenType::Normal)
            continue;
        if (first && *first != tokenizer.scores[id])
            return true;
        first = tokenizer.scores[id];
    }
    return false;
}

bool hasAllBytes(const Json& vocabulary) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte < 256; ++byte)
        if (!vocabulary.contains(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">"))
            return false;
    return true;
}

Json replaceSpaces(std::string_view what, std::string_view by) {
    return {{"type", "Replace"}, {"pattern", {{"String", what}}}, {"content", by}};
}

Json spaceNormalizer(bool adds_prefix) {
    Json steps = Json::array();
    if (adds_prefix)
        steps.push_back({{"type", "Prepend"}, {"prepend", kMetaspace}});
    steps.push_back(replaceSpaces(" ", kMetaspace));
    return {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
}

Json spaceDecoder(bool adds_prefix) {
    Json steps = Json::array(
        {replaceSpaces(kMetaspace, " "), Json{{"type", "ByteFallback"}}, Json{{"type", "Fuse"}}});
    if (adds_prefix)
        steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    return {{"type", "Sequence"}, {"decoders", std::move(steps)}};
}

/// Texts have spaces where pieces have the mark.
Json addedPieces(const GgmlTokenizer& tokenizer) {
    Json added = ggmlAddedTokens(tokenizer);
    for (Json& token : added)
        if (!token["special"].get<bool>())
            token["content"] = replaceAll(token["content"].get<std::string>(), kMetaspace, " ");
    return added;
}

Json unknownPiece(const GgmlTokenizer& tokenizer) {
    for (std::size_t id = 0; id < tokenizer.tokens.size(); ++id)
        if (typeOf(tokenizer, id) == GgmlTokenType::Unknown)
            return tokenizer.tokens[id];
    return tokenizer.unknown ? Json(tokenizer.tokens[static_cast<std::size_t>(*tokenizer.unknown)])
                             : Json();
}

} // namespace

Result<Json> ggmlSentencePiece(const GgmlTokenizer& tokenizer) {
    if (tokenizer.scores.size() != tokenizer.tokens.size() || !hasOrder(tokenizer))
        return Error{ErrorCode::Unsupported,
                     "it is a sentencepiece model whose tokens have no scores, or all the same, so "
                     "that nothing says which are merged first; put the model's tokenizer.json or "
                     "tokenizer.model beside the file"};
    auto vocabulary = ggmlVocabulary(tokenizer);
    if (!vocabulary)
        return vocabulary.error();
    auto merges = mergesOf(tokenizer);
    if (!merges)
        return merges.error();
    const bool adds_prefix = tokenizer.add_space_prefix.value_or(true);
    Json file;
    file["added_tokens"] = addedPieces(tokenizer);
    file["normalizer"] = spaceNormalizer(adds_prefix);
    file["post_processor"] =
        ggmlAround(tokenizer, tokenizer.add_bos.value_or(true) ? tokenizer.bos : std::nullopt,
                   tokenizer.add_eos.value_or(false) ? tokenizer.eos : std::nullopt);
    file["decoder"] = spaceDecoder(adds_prefix);
    file["model"] = {{"type", "BPE"},        {"unk_token", unknownPiece(tokenizer)},
                     {"fuse_unk", true},     {"byte_fallback", hasAllBytes(*vocabulary)},
                     {"vocab", *vocabulary}, {"merges", *std::move(merges)}};
    return file;
}

namespace {

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

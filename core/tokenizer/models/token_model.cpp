#include "core/tokenizer/models/token_model.h"

#include "core/base/utf8.h"

#include <charconv>
#include <utility>

namespace headscope {

Result<void> Vocabulary::add(std::string_view token, std::size_t id) {
    const auto [entry, is_new] = ids_.emplace(token, static_cast<TokenId>(id));
    if (!is_new)
        return Error{ErrorCode::Malformed, "gives " + inQuotes(token) + " the ids " +
                                               std::to_string(entry->second) + " and " +
                                               std::to_string(id)};
    if (id >= tokens_.size())
        tokens_.resize(id + 1);
    if (tokens_[id] != nullptr)
        return Error{ErrorCode::Malformed, "gives the id " + std::to_string(id) + " to both " +
                                               inQuotes(*tokens_[id]) + " and " + inQuotes(token)};
    tokens_[id] = &entry->first;
    return {};
}

std::optional<TokenId> Vocabulary::id(std::string_view token) const {
    const auto found = ids_.find(token);
    if (found == ids_.end())
        return std::nullopt;
    return found->second;
}

const std::string* Vocabulary::token(TokenId id) const {
    const auto index = static_cast<std::size_t>(id);
    return id >= 0 && index < tokens_.size() ? tokens_[index] : nullptr;
}

std::string byteToken(std::uint8_t byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    return std::string("<0x") + digits[byte >> 4] + digits[byte & 0xF] + ">";
}

std::optional<std::uint8_t> byteOfToken(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>'))
        return std::nullopt;
    std::uint8_t byte = 0;
    const char* const end = token.data() + 5;
    const auto parsed = std::from_chars(token.data() + 3, end, byte, 16);
    return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(byte) : std::nullopt;
}

WordLevelModel::WordLevelModel(Vocabulary words, std::string_view unknown_token)
    : TokenModel(std::move(words)), unknown_id_(vocabulary().id(unknown_token)) {}

std::optional<ByteRange> WordLevelModel::tokenize(std::string_view word,
                                                  std::vector<WordToken>& tokens) const {
    const ByteRange whole{0, word.size()};
    const auto known = vocabulary().id(word);
    const auto id = known ? known : unknown_id_;
    if (!id)
        return whole;
    tokens.push_back({*id, whole});
    return std::nullopt;
}

WordPieceModel::WordPieceModel(Vocabulary tokens, Options options)
    : TokenModel(std::move(tokens)), options_(std::move(options)),
      unknown_id_(vocabulary().id(options_.unknown_token)) {}

std::optional<ByteRange> WordPieceModel::tokenize(std::string_view word,
                                                  std::vector<WordToken>& tokens) const {
    std::vector<WordToken> pieces;
    std::size_t begin = characterCount(word) > options_.most_characters ? word.size() : 0;
    while (begin < word.size()) {
        const auto piece = longest(word, begin);
        if (!piece)
            break;
        begin = piece->bytes.end;
        pieces.push_back(*piece);
    }
    if (begin == word.size() && !pieces.empty()) {
        tokens.insert(tokens.end(), pieces.begin(), pieces.end());
        return std::nullopt;
    }
    const ByteRange whole{0, word.size()};
    if (!unknown_id_)
        return whole;
    tokens.push_back({*unknown_id_, whole});
    return std::nullopt;
}

std::optional<WordToken> WordPieceModel::longest(std::string_view word, std::size_t begin) const {
    const std::string token =
        (begin > 0 ? options_.continuing_prefix : "") + std::string(word.substr(begin));
    std::string_view candidate = token;
    const std::size_t prefix = token.size() - (word.size() - begin);
    while (candidate.size() > prefix) {
        if (const auto id = vocabulary().id(candidate))
            return WordToken{*id, {begin, begin + candidate.size() - prefix}};
        candidate.remove_suffix(lastCharacter(candidate).size());
    }
    return std::nullopt;
}

} // namespace headscope

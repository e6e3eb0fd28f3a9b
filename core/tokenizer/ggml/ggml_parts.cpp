#include "core/tokenizer/ggml/ggml_parts.h"

#include "core/base/utf8.h"

namespace headscope {

namespace {

using Json = nlohmann::json;

Json textPiece(const char* text) {
    return {{"Sequence", {{"id", text}, {"type_id", 0}}}};
}

Json aroundPiece(const std::string& token) {
    return {{"SpecialToken", {{"id", token}, {"type_id", 0}}}};
}

} // namespace

GgmlTokenType typeOf(const GgmlTokenizer& tokenizer, std::size_t id) {
    return tokenizer.types.empty() ? GgmlTokenType::Normal : tokenizer.types[id];
}

Result<Json> ggmlVocabulary(const GgmlTokenizer& tokenizer) {
    Json vocabulary = Json::object();
    for (std::size_t id = 0; id < tokenizer.tokens.size(); ++id) {
        const std::string& token = tokenizer.tokens[id];
        if (token.empty() || typeOf(tokenizer, id) == GgmlTokenType::Unused)
            continue; // no text becomes such a token
        if (const auto [place, added] = vocabulary.emplace(token, id); !added)
            return Error{ErrorCode::Malformed, "the tokens " + std::to_string(place->get<int>()) +
                                                   " and " + std::to_string(id) + " are both " +
                                                   inQuotes(token)};
    }
    return vocabulary;
}

Json ggmlAddedTokens(const GgmlTokenizer& tokenizer) {
    Json added = Json::array();
    for (std::size_t id = 0; id < tokenizer.tokens.size(); ++id) {
        const GgmlTokenType type = typeOf(tokenizer, id);
        const bool is_special = type == GgmlTokenType::Control || type == GgmlTokenType::Unknown;
        const bool is_added = is_special || type == GgmlTokenType::UserDefined;
        if (!is_added || tokenizer.tokens[id].empty())
            continue;
        added.push_back({{"id", id},
                         {"content", tokenizer.tokens[id]},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", is_special}});
    }
    return added;
}

Json ggmlAround(const GgmlTokenizer& tokenizer, std::optional<TokenId> before,
                std::optional<TokenId> after) {
    if (!before && !after)
        return nullptr;
    Json single = Json::array();
    Json special = Json::object();
    const auto add = [&](TokenId id) {
        const std::string& token = tokenizer.tokens[static_cast<std::size_t>(id)];
        single.push_back(aroundPiece(token));
        special[token] = {
            {"id", token}, {"ids", Json::array({id})}, {"tokens", Json::array({token})}};
    };
    if (before)
        add(*before);
    single.push_back(textPiece("A"));
    if (after)
        add(*after);
    return {{"type", "TemplateProcessing"},
            {"single", std::move(single)},
            {"pair", Json::array({textPiece("A"), textPiece("B")})},
            {"special_tokens", std::move(special)}};
}

} // namespace headscope

#include "core/tokenizer/vocabulary.h"

#include "core/tokenizer/utf8.h"

#include <nlohmann/json.hpp>

namespace headscope {

Result<TokenId> readTokenId(const JsonView& number) {
    const auto id = number.number(kLargestTokenId);
    if (!id)
        return id.error();
    return static_cast<TokenId>(*id);
}

Result<Vocabulary> Vocabulary::read(const JsonView& object) {
    if (!object.json().is_object())
        return object.expected("an object");
    Vocabulary vocabulary;
    vocabulary.ids_.reserve(object.json().size());
    for (const auto& [token, json] : object.json().items()) {
        const auto id = JsonView::number(json, kLargestTokenId);
        if (!id)
            return readTokenId(*object.member(token)).error();
        const auto entry = vocabulary.ids_.emplace(token, static_cast<TokenId>(*id)).first;
        if (*id >= vocabulary.tokens_.size())
            vocabulary.tokens_.resize(*id + 1);
        if (vocabulary.tokens_[*id] != nullptr)
            return object.malformed("gives the id " + std::to_string(*id) + " to both " +
                                    inQuotes(*vocabulary.tokens_[*id]) + " and " + inQuotes(token));
        vocabulary.tokens_[*id] = &entry->first;
    }
    return vocabulary;
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

} // namespace headscope

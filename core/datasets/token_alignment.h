#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/datasets/conllu.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

/// Tokens [first, end) of one word, specials counted.
struct TokenSpan {
    std::size_t first = 0;
    std::size_t end = 0;

    bool operator==(const TokenSpan&) const = default;
    bool empty() const { return first == end; }
};

/// A sentence as the model reads it.
struct ProbeText {
    TokenIds ids;
    bool has_bos = false;
    /// One span per word, in order and without overlap. A token belongs to the word in which it
    /// begins, and the space in front of a word to that word. A word that shares its token with the
    /// word before has an empty span after that token, as the closing mark of `said."` where `."`
    /// is one token.
    std::vector<TokenSpan> words;
};

/// Fails where promptFromText does: without a tokenizer, and beyond the model's context.
Result<ProbeText> probeText(const Model& model, const Sentence& sentence,
                            BosMode bos = BosMode::Auto);

/// The token of a word within a sentence, if it is one token and holds nothing but the word and the
/// space before it. Upper and lower case are the same to it, because some tokenizers read lower
/// case only.
std::optional<TokenId> tokenOfWord(const Tokenizer& tokenizer, std::string_view word);

} // namespace headscope

#pragma once

#include "core/tokenizer/from_ggml.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// One function per kind of tokenizer, and what they share. Each gives the object of a
// tokenizer.json; error messages continue the name of the file.

Result<nlohmann::json> ggmlBpe(const GgmlTokenizer& tokenizer);
Result<nlohmann::json> ggmlSentencePiece(const GgmlTokenizer& tokenizer);
Result<nlohmann::json> ggmlUnigram(const GgmlTokenizer& tokenizer);

/// vocab.txt of BERT: words without GGUF's mark of their beginning, continuations with "##".
Result<std::string> ggmlWordList(const GgmlTokenizer& tokenizer);

GgmlTokenType typeOf(const GgmlTokenizer& tokenizer, std::size_t id);

/// {"token": id, …} of all but unused and empty tokens. Fails on a token that is there twice.
Result<nlohmann::json> ggmlVocabulary(const GgmlTokenizer& tokenizer);

/// Control, unknown and user-defined tokens.
nlohmann::json ggmlAddedTokens(const GgmlTokenizer& tokenizer);

/// The tokens around a text; null when there are none.
nlohmann::json ggmlAround(const GgmlTokenizer& tokenizer, std::optional<TokenId> before,
                          std::optional<TokenId> after);

/// The pre-tokenizer of a BPE, by its name in the file.
struct GgmlPreTokenizer {
    nlohmann::json pre_tokenizer;
    bool composes = false;       ///< Unicode normalization form C before it
    bool ignores_merges = false; ///< words of the vocabulary are taken whole
    bool adds_bos = false;       ///< where the file does not say
};

/// Whether the file does not say how the model splits texts.
bool isDefaultPreTokenizer(std::string_view name);

std::vector<std::string_view> ggmlPreTokenizerNames();
/// Nothing for a name that is unknown; the default one for an empty name.
std::optional<GgmlPreTokenizer> ggmlPreTokenizer(std::string_view name);

} // namespace headscope

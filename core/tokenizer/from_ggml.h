#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/tokenizer/from_files.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// GgmlTokenizer::model of a model that takes token ids alone; llama.cpp opens no file that names
/// none.
inline constexpr std::string_view kGgmlNoTokenizer = "none";

/// llama.cpp's types of tokens, by their numbers in files.
enum class GgmlTokenType {
    Normal = 1,
    Unknown = 2,
    Control = 3,     ///< special, not in texts
    UserDefined = 4, ///< found in a text as a whole
    Unused = 5,      ///< fills a gap in the ids
    Byte = 6
};

/// A tokenizer as the lists under "tokenizer.ggml." of a GGUF hold it.
struct GgmlTokenizer {
    std::string model;         ///< "gpt2" (BPE), "llama" (sentencepiece), "bert", "t5" (Unigram)
    std::string pre_tokenizer; ///< "llama-bpe", of BPE
    std::vector<std::string> tokens;
    std::vector<GgmlTokenType> types; ///< one for each token, or none: all are normal
    std::vector<double> scores;       ///< likewise, of sentencepiece and Unigram
    std::vector<std::string> merges;  ///< "a b", of BPE
    std::string chars_map;            ///< normalization of sentencepiece, compiled; of Unigram
    std::optional<TokenId> bos;
    std::optional<TokenId> eos;
    std::optional<TokenId> unknown;
    std::optional<TokenId> separator;
    std::optional<bool> add_bos;
    std::optional<bool> add_eos;
    std::optional<bool> add_separator;
    std::optional<bool> add_space_prefix;
};

/// The same as a tokenizer.json, which then tokenizes as that of the original model does. Fails for
/// kinds that are unknown, which is better than tokens that are almost right; a BPE that names no
/// pre-tokenizer of its own is split as llama.cpp splits it, and is a guess. What such a file does
/// not hold (whether an added token takes spaces along) is taken to be off. `source` names the file
/// in error messages.
Result<RewrittenTokenizer> rewriteGgml(const GgmlTokenizer& tokenizer, std::string_view source);

/// The way back: the lists of a tokenizer.json. Nothing for a kind that they cannot hold exactly,
/// which is every kind but byte-level BPE with a pre-tokenizer that llama.cpp has a name for.
std::optional<GgmlTokenizer> ggmlOf(std::string_view tokenizer_json);

} // namespace headscope

#pragma once

#include "core/base/result.h"
#include "core/tokenizer/tokenizer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What the small files beside a vocabulary say: tokenizer_config.json, special_tokens_map.json,
/// added_tokens.json. Nothing that is missing there is guessed here.
struct TokenizerSettings {
    std::string tokenizer_class; ///< "RobertaTokenizerFast"; empty when nothing says so
    std::optional<bool> add_bos_token;
    std::optional<bool> add_eos_token;
    std::optional<bool> add_prefix_space;
    std::optional<bool> do_lower_case;
    std::optional<bool> strip_accents;
    std::optional<bool> tokenize_chinese_chars;
    std::string bos_token; ///< empty when nothing names one
    std::string mask_token;
    /// bos_token, eos_token, unk_token … as the files name them.
    std::vector<std::string> special_tokens;
    /// Tokens whose ids the files state.
    std::vector<AddedToken> added_tokens;

    /// Takes what the text of one of the files says and the others have not said yet. Fails on
    /// values of another type than the key asks for; `source` names the file in error messages.
    Result<void> readTokenizerConfig(std::string_view json, std::string_view source);
    Result<void> readSpecialTokensMap(std::string_view json, std::string_view source);
    /// {"<tool>": 32000}
    Result<void> readAddedTokens(std::string_view json, std::string_view source);
};

/// What older files say about a tokenizer, written as a tokenizer.json.
struct RewrittenTokenizer {
    std::string json;
    std::vector<std::string> notes; ///< what no file said and was assumed; whole sentences
    bool is_guess = false; ///< how texts are split is no file's word: any other tokenizer is better
};

/// From the texts of vocab.json and merges.txt: byte-level BPE as GPT-2, OPT and RoBERTa have it.
/// `source` names the files in error messages.
Result<RewrittenTokenizer> rewriteMerges(std::string_view vocab_json, std::string_view merges_txt,
                                         const TokenizerSettings& settings,
                                         std::string_view source);

/// From the text of vocab.txt, one token per line: WordPiece as BERT has it.
Result<RewrittenTokenizer> rewriteWordPieces(std::string_view vocab_txt,
                                             const TokenizerSettings& settings,
                                             std::string_view source);

} // namespace headscope

#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/model/model.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// The tokenizer that came with a model.
struct FoundTokenizer {
    std::shared_ptr<const Tokenizer> tokenizer;
    std::string source; ///< "tokenizer.model beside model.safetensors"
    /// As the text of a tokenizer.json, also where other files said it; empty for sentencepiece.
    std::string json;
    std::vector<std::string> notes; ///< what was passed over or assumed; whole sentences
    /// What tokenizer_config.json and special_tokens_map.json beside it say.
    std::optional<bool> add_bos_token;
    std::optional<TokenId> bos_token;
    std::optional<TokenId> mask_token;
};

/// The text of tokenizer_config.json, inside the weight file or beside it; empty without.
std::string tokenizerConfig(const TensorSource& file);

/// Looks in the weight file, then beside it and in assets/tokenizer beside it for tokenizer.json, a
/// sentencepiece model, vocab.json with merges.txt, and vocab.txt, in this order: the first that is
/// there is taken; last, what the file has in place of one. Fails when that one cannot be used.
Result<std::optional<FoundTokenizer>> findTokenizer(const TensorSource& file);

/// Gives the model its tokenizer and special tokens and fills in what the report says of them.
/// Without a usable tokenizer the model is still good for token ids.
void takeTokenizer(const TensorSource& file, Model& model);

} // namespace headscope

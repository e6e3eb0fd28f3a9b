#include "core/base/utf8.h"
#include "core/tokenizer/ggml/ggml_parts.h"

namespace headscope {

Result<nlohmann::json> ggmlBpe(const GgmlTokenizer& tokenizer) {
    const auto pre = ggmlPreTokenizer(tokenizer.pre_tokenizer);
    if (!pre)
        return Error{ErrorCode::Unsupported,
                     "its pre-tokenizer " + inQuotes(tokenizer.pre_tokenizer) +
                         " is not known; put the model's tokenizer.json beside the file"};
    if (tokenizer.merges.empty())
        return Error{ErrorCode::Malformed, "it is a BPE without merges"};
    auto vocabulary = ggmlVocabulary(tokenizer);
    if (!vocabulary)
        return vocabulary.error();
    const bool adds_bos = tokenizer.add_bos.value_or(pre->adds_bos);
    const bool adds_eos = tokenizer.add_eos.value_or(false);
    const bool adds_separator = tokenizer.add_separator.value_or(false);
    nlohmann::json file;
    file["added_tokens"] = ggmlAddedTokens(tokenizer);
    if (pre->composes)
        file["normalizer"] = {{"type", "NFC"}};
    file["pre_tokenizer"] = pre->pre_tokenizer;
    file["post_processor"] = ggmlAround(tokenizer, adds_bos ? tokenizer.bos : std::nullopt,
                                        adds_eos         ? tokenizer.eos
                                        : adds_separator ? tokenizer.separator
                                                         : std::nullopt);
    file["decoder"] = {{"type", "ByteLevel"},
                       {"add_prefix_space", true},
                       {"trim_offsets", true},
                       {"use_regex", true}};
    file["model"] = {{"type", "BPE"},
                     {"ignore_merges", pre->ignores_merges},
                     {"vocab", *std::move(vocabulary)},
                     {"merges", tokenizer.merges}};
    return file;
}

} // namespace headscope

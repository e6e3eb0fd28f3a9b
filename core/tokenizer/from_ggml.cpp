#include "core/tokenizer/from_ggml.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/tokenizer/ggml/ggml_parts.h"

#include <algorithm>
#include <array>

namespace headscope {

namespace {

constexpr std::string_view kWordStart = "▁";

struct GgmlKind {
    std::string_view model;
    Result<nlohmann::json> (*rewrite)(const GgmlTokenizer& tokenizer);
};

constexpr std::array kGgmlKinds{
    GgmlKind{"gpt2", ggmlBpe},
    GgmlKind{"llama", ggmlSentencePiece},
    GgmlKind{"t5", ggmlUnigram},
};

/// Types and scores are lists of their own, which may be missing.
Result<void> checkLists(const GgmlTokenizer& tokenizer) {
    const std::size_t n_tokens = tokenizer.tokens.size();
    if (n_tokens == 0)
        return Error{ErrorCode::NotFound, "it holds no tokens"};
    if (!tokenizer.types.empty() && tokenizer.types.size() != n_tokens)
        return Error{ErrorCode::Malformed, "it has " + std::to_string(tokenizer.types.size()) +
                                               " token types for " + std::to_string(n_tokens) +
                                               " tokens"};
    return {};
}

Result<RewrittenTokenizer> rewriteWords(const GgmlTokenizer& tokenizer, std::string_view source) {
    const auto words = ggmlWordList(tokenizer);
    if (!words)
        return words.error();
    TokenizerSettings settings;
    for (std::size_t id = 0; id < tokenizer.tokens.size(); ++id)
        if (typeOf(tokenizer, id) == GgmlTokenType::Control)
            settings.special_tokens.push_back(tokenizer.tokens[id]);
    return rewriteWordPieces(*words, settings, source);
}

/// What the two programs that define sentencepiece's tokens do not agree on.
std::vector<std::string> notesOn(const GgmlTokenizer& tokenizer) {
    const bool has_user_defined =
        std::ranges::find(tokenizer.types, GgmlTokenType::UserDefined) != tokenizer.types.end();
    if (tokenizer.model != "llama" || !has_user_defined ||
        !tokenizer.add_space_prefix.value_or(true))
        return {};
    return {"A text after a user-defined token begins with a space, as in llama.cpp; sentencepiece "
            "itself puts none there."};
}

Result<RewrittenTokenizer> rewriteByKind(const GgmlTokenizer& tokenizer, std::string_view source) {
    if (auto good = checkLists(tokenizer); !good)
        return good.error();
    if (tokenizer.model == "bert")
        return rewriteWords(tokenizer, source);
    for (const GgmlKind& kind : kGgmlKinds)
        if (kind.model == tokenizer.model) {
            const auto file = kind.rewrite(tokenizer);
            if (!file)
                return file.error();
            return RewrittenTokenizer{file->dump(), notesOn(tokenizer),
                                      tokenizer.model == "gpt2" &&
                                          isDefaultPreTokenizer(tokenizer.pre_tokenizer)};
        }
    return Error{ErrorCode::Unsupported, tokenizer.model.empty()
                                             ? "it names no kind"
                                             : "its kind " + inQuotes(tokenizer.model) +
                                                   " is not known; put the model's tokenizer.json "
                                                   "beside the file"};
}

} // namespace

Result<std::string> ggmlWordList(const GgmlTokenizer& tokenizer) {
    std::string lines;
    for (std::size_t id = 0; id < tokenizer.tokens.size(); ++id) {
        const std::string& token = tokenizer.tokens[id];
        if (token.find_first_of("\r\n") != std::string::npos)
            return Error{ErrorCode::Malformed,
                         "the token " + std::to_string(id) + " holds the end of a line"};
        const bool is_word = token.starts_with(kWordStart);
        const bool is_plain = typeOf(tokenizer, id) != GgmlTokenType::Normal;
        lines += is_plain ? token : is_word ? token.substr(kWordStart.size()) : "##" + token;
        lines += '\n';
    }
    return lines;
}

Result<RewrittenTokenizer> rewriteGgml(const GgmlTokenizer& tokenizer, std::string_view source) {
    auto rewritten = rewriteByKind(tokenizer, source);
    const std::string begin = std::string(source) + ": ";
    if (!rewritten && !rewritten.error().message.starts_with(begin))
        return Error{rewritten.error().code, begin + rewritten.error().message + "."};
    return rewritten;
}

} // namespace headscope

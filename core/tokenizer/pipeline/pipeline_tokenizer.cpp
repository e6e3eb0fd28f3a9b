#include "core/tokenizer/pipeline/pipeline_tokenizer.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace headscope {

namespace {

/// The code points `range` of valid UTF-8.
std::string_view codePoints(std::string_view text, TextRange range) {
    const auto skip = [](std::string_view rest, std::size_t count) {
        while (count-- > 0)
            rest.remove_prefix(utf8Length(rest.front()));
        return rest;
    };
    const std::string_view from = skip(text, range.begin);
    return from.substr(0, from.size() - skip(from, range.end - range.begin).size());
}

Error unexpressible(TextRange range, std::string_view original) {
    return {ErrorCode::InvalidArgument,
            "The tokenizer has no token for " + inQuotes(codePoints(original, range)) +
                " (character " + std::to_string(range.begin + 1) +
                " of the text) and no unknown token; leave it out or type token ids."};
}

} // namespace

std::optional<TokenId> PipelineTokenizer::foreignSpecialToken() const {
    Encoding empty;
    parts_.post_processor->process(empty, true);
    const auto found =
        std::ranges::find_if(empty.ids, [this](TokenId id) { return content(id) == nullptr; });
    return found == empty.ids.end() ? std::nullopt : std::optional(*found);
}

Result<Encoding> PipelineTokenizer::tokenize(const SplitText& text,
                                             std::string_view original) const {
    Encoding encoding;
    const auto append = [&](TokenId id, std::string_view token, ByteRange bytes) {
        encoding.ids.push_back(id);
        encoding.tokens.emplace_back(token);
        encoding.offsets.push_back(text.text.origin(bytes));
        encoding.prefixed.push_back(text.text.isPrefix(bytes.begin));
    };
    // Words come again and again.
    std::unordered_map<std::string_view, std::vector<WordToken>> tokenized;
    for (const Split& split : text.splits) {
        const std::string_view word = text.text.text(split.bytes);
        const std::size_t start = split.bytes.begin;
        if (split.added_token) {
            append(*split.added_token, word, split.bytes);
            continue;
        }
        const auto [entry, is_new] = tokenized.try_emplace(word);
        if (is_new) {
            if (const auto unknown = parts_.model->tokenize(word, entry->second))
                return unexpressible(
                    text.text.origin({start + unknown->begin, start + unknown->end}), original);
        }
        for (const WordToken& token : entry->second)
            append(token.id,
                   token.shows_word ? word.substr(token.bytes.begin, token.bytes.size())
                                    : *parts_.model->vocabulary().token(token.id),
                   {start + token.bytes.begin, start + token.bytes.end});
    }
    return encoding;
}

const std::string* PipelineTokenizer::content(TokenId id) const {
    const AddedToken* const added = parts_.added_tokens.find(id);
    return added != nullptr ? &added->content : parts_.model->vocabulary().token(id);
}

const std::string* PipelineTokenizer::form(TokenId id) const {
    const AddedToken* const added = parts_.added_tokens.find(id);
    return added != nullptr ? &added->form : parts_.model->vocabulary().token(id);
}

Result<Encoding> PipelineTokenizer::encodeValid(std::string_view text,
                                                bool add_special_tokens) const {
    auto normalized = parts_.added_tokens.split(text, *parts_.normalizer);
    if (!normalized)
        return normalized.error();
    const auto words = parts_.pre_tokenizer->apply(*std::move(normalized));
    if (!words)
        return words.error();
    auto encoding = tokenize(*words, text);
    if (encoding)
        parts_.post_processor->process(*encoding, add_special_tokens);
    return encoding;
}

std::string PipelineTokenizer::decode(std::span<const TokenId> ids,
                                      bool skip_special_tokens) const {
    std::vector<std::string> tokens;
    tokens.reserve(ids.size());
    for (const TokenId id : ids) {
        const std::string* const token = form(id);
        if (token != nullptr && !(skip_special_tokens && isSpecial(id)))
            tokens.push_back(*token);
    }
    return join(parts_.decoder->decode(std::move(tokens)), "");
}

std::size_t PipelineTokenizer::vocabularySize() const {
    return std::max(parts_.model->vocabulary().size(), parts_.added_tokens.size());
}

std::optional<std::string> PipelineTokenizer::token(TokenId id) const {
    const std::string* const token = content(id);
    return token != nullptr ? std::optional(*token) : std::nullopt;
}

std::optional<TokenId> PipelineTokenizer::id(std::string_view token) const {
    const AddedToken* const added = parts_.added_tokens.find(token);
    return added != nullptr ? added->id : parts_.model->vocabulary().id(token);
}

bool PipelineTokenizer::isSpecial(TokenId id) const {
    const AddedToken* const added = parts_.added_tokens.find(id);
    return added != nullptr && added->special;
}

std::string PipelineTokenizer::piece(TokenId id) const {
    const std::string* const token = form(id);
    return token != nullptr ? escapeInvalidUtf8(parts_.decoder->bytes(*token)) : std::string();
}

std::optional<TokenId> PipelineTokenizer::prefixToken() const {
    constexpr TokenId text = -1; // means any text
    Encoding encoding{{text}, {""}, {{}}, {false}};
    parts_.post_processor->process(encoding, true);
    if (encoding.ids.empty() || encoding.ids.front() == text)
        return std::nullopt;
    return encoding.ids.front();
}

std::vector<PairPlace> PipelineTokenizer::pairTemplate() const {
    return parts_.post_processor->pairTemplate();
}

std::optional<TokenId> PipelineTokenizer::unknownToken() const {
    return parts_.model->unknownToken();
}

std::string_view PipelineTokenizer::kind() const {
    const std::string_view kind = parts_.model->kind();
    return kind == "BPE" && parts_.pre_tokenizer->isByteLevel() ? "byte-level BPE" : kind;
}

std::vector<std::string> PipelineTokenizer::notes() const {
    const auto note = parts_.model->note();
    return note ? std::vector{*note} : std::vector<std::string>();
}

} // namespace headscope

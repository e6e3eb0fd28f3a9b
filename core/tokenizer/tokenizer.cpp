#include "core/tokenizer/tokenizer.h"

#include "core/base/text.h"
#include "core/tokenizer/added_tokens.h"
#include "core/tokenizer/decoder.h"
#include "core/tokenizer/post_processor.h"
#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/token_model.h"
#include "core/tokenizer/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kMostTextBytes = 50'000'000;

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

/// What the file lists, in the order in which text passes through it.
struct Tokenizer::Parts {
    std::unique_ptr<const Normalizer> normalizer;
    AddedTokens added_tokens;
    std::unique_ptr<const PreTokenizer> pre_tokenizer;
    std::unique_ptr<const TokenModel> model;
    std::unique_ptr<const PostProcessor> post_processor;
    std::unique_ptr<const Decoder> decoder;

    static Result<Parts> read(const JsonView& file);
    Result<void> checkSpecialTokens(const JsonView& file) const;

    /// Null for an id that has no token.
    const std::string* token(TokenId id) const {
        const AddedToken* const added = added_tokens.find(id);
        return added != nullptr ? &added->content : model->vocabulary().token(id);
    }

    /// What the decoder gets to see; null for an id that has no token.
    const std::string* form(TokenId id) const {
        const AddedToken* const added = added_tokens.find(id);
        return added != nullptr ? &added->form : model->vocabulary().token(id);
    }

    /// The tokens of every split; `original` is the text before it was normalized.
    Result<Encoding> tokenize(const SplitText& text, std::string_view original) const;
};

Result<Tokenizer::Parts> Tokenizer::Parts::read(const JsonView& file) {
    const auto known =
        file.allowOnly({"version", "truncation", "padding", "added_tokens", "normalizer",
                        "pre_tokenizer", "model", "post_processor", "decoder"});
    if (!known)
        return known.error();
    if (const auto version = file.member("version"); !version->isNull() && version->json() != "1.0")
        return file.unsupported("the version " + version->shown());
    auto normalizer = Normalizer::read(*file.member("normalizer"));
    if (!normalizer)
        return normalizer.error();
    auto pre_tokenizer = PreTokenizer::read(*file.member("pre_tokenizer"));
    if (!pre_tokenizer)
        return pre_tokenizer.error();
    auto model = TokenModel::read(*file.member("model"));
    if (!model)
        return model.error();
    auto added =
        AddedTokens::read(*file.member("added_tokens"), (*model)->vocabulary(), **normalizer);
    if (!added)
        return added.error();
    auto post_processor = PostProcessor::read(*file.member("post_processor"));
    if (!post_processor)
        return post_processor.error();
    auto decoder = Decoder::read(*file.member("decoder"));
    if (!decoder)
        return decoder.error();
    Parts parts{*std::move(normalizer), *std::move(added),          *std::move(pre_tokenizer),
                *std::move(model),      *std::move(post_processor), *std::move(decoder)};
    if (const auto checked = parts.checkSpecialTokens(file); !checked)
        return checked.error();
    return parts;
}

/// The post-processor states ids of its own; they must be of this tokenizer.
Result<void> Tokenizer::Parts::checkSpecialTokens(const JsonView& file) const {
    Encoding empty;
    post_processor->process(empty, true);
    for (const TokenId id : empty.ids) {
        if (token(id) == nullptr)
            return file.member("post_processor")
                ->malformed("adds the id " + std::to_string(id) + ", which has no token");
    }
    return {};
}

Result<Encoding> Tokenizer::Parts::tokenize(const SplitText& text,
                                            std::string_view original) const {
    Encoding encoding;
    const auto append = [&](TokenId id, std::string_view token, ByteRange bytes) {
        encoding.ids.push_back(id);
        encoding.tokens.emplace_back(token);
        encoding.offsets.push_back(text.text.origin(bytes));
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
            if (const auto unknown = model->tokenize(word, entry->second))
                return unexpressible(
                    text.text.origin({start + unknown->begin, start + unknown->end}), original);
        }
        for (const WordToken& token : entry->second)
            append(token.id, *model->vocabulary().token(token.id),
                   {start + token.bytes.begin, start + token.bytes.end});
    }
    return encoding;
}

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Tokenizer::~Tokenizer() = default;

Result<std::shared_ptr<const Tokenizer>> Tokenizer::fromJson(std::string_view json,
                                                             std::string_view source) {
    const auto file = JsonView::parse(json, source);
    if (!file)
        return file.error();
    auto parts = Parts::read(*file);
    if (!parts)
        return parts.error();
    return std::shared_ptr<const Tokenizer>(
        new Tokenizer(std::make_unique<const Parts>(*std::move(parts))));
}

Result<Encoding> Tokenizer::encode(std::string_view text, bool add_special_tokens) const {
    if (text.size() > kMostTextBytes)
        return Error{ErrorCode::TooLarge, "The text is " + byteText(text.size()) +
                                              " long; use at most " + byteText(kMostTextBytes) +
                                              "."};
    if (const std::size_t byte = firstInvalidUtf8(text); byte != std::string_view::npos)
        return Error{ErrorCode::InvalidArgument, "The text is not valid UTF-8 at byte " +
                                                     std::to_string(byte) +
                                                     "; convert it to UTF-8."};
    auto normalized = parts_->added_tokens.split(text, *parts_->normalizer);
    if (!normalized)
        return normalized.error();
    const auto words = parts_->pre_tokenizer->apply(*std::move(normalized));
    if (!words)
        return words.error();
    auto encoding = parts_->tokenize(*words, text);
    if (encoding)
        parts_->post_processor->process(*encoding, add_special_tokens);
    return encoding;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skip_special_tokens) const {
    std::vector<std::string> tokens;
    tokens.reserve(ids.size());
    for (const TokenId id : ids) {
        const std::string* const form = parts_->form(id);
        if (form != nullptr && !(skip_special_tokens && isSpecial(id)))
            tokens.push_back(*form);
    }
    return join(parts_->decoder->decode(std::move(tokens)), "");
}

std::size_t Tokenizer::vocabularySize() const {
    return std::max(parts_->model->vocabulary().size(), parts_->added_tokens.size());
}

std::optional<std::string> Tokenizer::token(TokenId id) const {
    const std::string* const token = parts_->token(id);
    return token != nullptr ? std::optional(*token) : std::nullopt;
}

std::optional<TokenId> Tokenizer::id(std::string_view token) const {
    const AddedToken* const added = parts_->added_tokens.find(token);
    return added != nullptr ? added->id : parts_->model->vocabulary().id(token);
}

bool Tokenizer::isSpecial(TokenId id) const {
    const AddedToken* const added = parts_->added_tokens.find(id);
    return added != nullptr && added->special;
}

std::string Tokenizer::piece(TokenId id) const {
    const std::string* const form = parts_->form(id);
    return form != nullptr ? escapeInvalidUtf8(parts_->decoder->bytes(*form)) : std::string();
}

std::optional<TokenId> Tokenizer::prefixToken() const {
    constexpr TokenId text = -1; // stands for any text
    Encoding encoding{{text}, {""}, {{}}};
    parts_->post_processor->process(encoding, true);
    if (encoding.ids.empty() || encoding.ids.front() == text)
        return std::nullopt;
    return encoding.ids.front();
}

std::string_view Tokenizer::kind() const {
    const std::string_view kind = parts_->model->kind();
    return kind == "BPE" && parts_->pre_tokenizer->isByteLevel() ? "byte-level BPE" : kind;
}

} // namespace headscope

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/tokenizer/pipeline/added_tokens.h"
#include "core/tokenizer/sentencepiece/sentencepiece_file.h"
#include "core/tokenizer/tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <exception>
#include <string>
#include <unordered_map>
#include <utility>

namespace headscope {

namespace {

constexpr std::string_view kSpace = "▁";

/// From the code point before which byte `begin` is to the one before which byte `end` is.
TextRange codePointRange(const AlignedText& text, std::size_t begin, std::size_t end) {
    return {text.originBefore(begin).end, text.originBefore(end).end};
}

/// The library gives a character that is written as bytes to the last of them.
void shareCharacters(std::size_t first, Encoding& encoding) {
    for (std::size_t i = encoding.ids.size(); i-- > first + 1;) {
        TextRange& range = encoding.offsets[i - 1];
        if (range.begin == range.end && byteOfToken(encoding.tokens[i - 1]) &&
            byteOfToken(encoding.tokens[i]))
            range = encoding.offsets[i];
    }
}

class SentencePieceTokenizer : public Tokenizer {
public:
    /// Hands the model to libsentencepiece. The message of an error is its own.
    Result<void> load(const SentencePieceFile& file, const SentencePieceOptions& options);

    std::string decode(std::span<const TokenId> ids, bool skip_special_tokens) const override;
    std::size_t vocabularySize() const override;
    std::optional<std::string> token(TokenId id) const override;
    std::optional<TokenId> id(std::string_view token) const override;
    bool isSpecial(TokenId id) const override;
    std::string piece(TokenId id) const override;
    std::optional<TokenId> prefixToken() const override { return bos_; }
    std::optional<TokenId> unknownToken() const override { return processor_.unk_id(); }
    std::string_view kind() const override;

protected:
    Result<Encoding> encodeValid(std::string_view text, bool add_special_tokens) const override;

private:
    void add(const AddedToken& token);
    void addControlPieces();
    bool isPiece(TokenId id) const;
    const AddedToken* added(TokenId id) const;
    void encodePart(const AlignedText& text, ByteRange part, Encoding& encoding) const;

    sentencepiece::SentencePieceProcessor processor_;
    SentencePieceFile::Kind kind_ = SentencePieceFile::Kind::Unigram;
    std::optional<TokenId> bos_;
    std::optional<TokenId> eos_;
    std::unordered_map<TokenId, AddedToken> added_;
    AddedTokenFinder finder_;
};

Result<void> SentencePieceTokenizer::load(const SentencePieceFile& file,
                                          const SentencePieceOptions& options) {
    try {
        const auto status = processor_.LoadFromSerializedProto(file.model);
        if (!status.ok())
            return Error{ErrorCode::Malformed, std::string(status.message())};
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Malformed, failure.what()};
    }
    kind_ = file.kind;
    const auto known = [](int id) { return id >= 0 ? std::optional<TokenId>(id) : std::nullopt; };
    if (options.add_bos)
        bos_ = known(processor_.bos_id());
    if (options.add_eos)
        eos_ = known(processor_.eos_id());
    for (const AddedToken& token : options.added_tokens)
        add(token);
    addControlPieces();
    return {};
}

void SentencePieceTokenizer::add(const AddedToken& token) {
    // Unknown text is found by the model, not as "<unk>".
    if (isPiece(token.id) && processor_.IsUnknown(token.id))
        return;
    if (added_.emplace(token.id, token).second)
        finder_.add(token);
}

void SentencePieceTokenizer::addControlPieces() {
    for (TokenId id = 0; isPiece(id); ++id) {
        if (!processor_.IsControl(id))
            continue;
        AddedToken token;
        token.id = id;
        token.content = token.form = processor_.IdToPiece(id);
        token.special = true;
        add(token);
    }
}

bool SentencePieceTokenizer::isPiece(TokenId id) const {
    return id >= 0 && id < processor_.GetPieceSize();
}

const AddedToken* SentencePieceTokenizer::added(TokenId id) const {
    const auto found = added_.find(id);
    return found == added_.end() ? nullptr : &found->second;
}

Result<Encoding> SentencePieceTokenizer::encodeValid(std::string_view text,
                                                     bool add_special_tokens) const {
    const auto parts =
        finder_.apply({AlignedText::original(text), {{{0, text.size()}, std::nullopt}}});
    Encoding encoding;
    const auto append = [&](TokenId id, std::string_view token, TextRange range) {
        encoding.ids.push_back(id);
        encoding.tokens.emplace_back(token);
        encoding.offsets.push_back(range);
    };
    if (add_special_tokens && bos_)
        append(*bos_, processor_.IdToPiece(*bos_), {});
    for (const Split& split : parts.splits) {
        if (split.added_token)
            append(*split.added_token, parts.text.text(split.bytes),
                   parts.text.origin(split.bytes));
        else
            encodePart(parts.text, split.bytes, encoding);
    }
    if (add_special_tokens && eos_)
        append(*eos_, processor_.IdToPiece(*eos_), {});
    return encoding;
}

void SentencePieceTokenizer::encodePart(const AlignedText& text, ByteRange part,
                                        Encoding& encoding) const {
    const std::size_t first = encoding.ids.size();
    const auto pieces = processor_.EncodeAsImmutableProto(text.text(part));
    for (std::size_t i = 0; i < pieces.pieces_size(); ++i) {
        const auto piece = pieces.pieces(static_cast<int>(i));
        encoding.ids.push_back(static_cast<TokenId>(piece.id()));
        encoding.tokens.push_back(piece.piece());
        encoding.offsets.push_back(
            codePointRange(text, part.begin + piece.begin(), part.begin + piece.end()));
    }
    shareCharacters(first, encoding);
}

std::string SentencePieceTokenizer::decode(std::span<const TokenId> ids,
                                           bool skip_special_tokens) const {
    std::string text;
    std::vector<int> part;
    const auto flush = [&] {
        text += processor_.DecodeIds(part);
        part.clear();
    };
    for (const TokenId id : ids) {
        const AddedToken* const token = added(id);
        if (token == nullptr && isPiece(id))
            part.push_back(id);
        if (token == nullptr || (skip_special_tokens && token->special))
            continue;
        flush();
        text += token->content;
    }
    flush();
    return replaceInvalidUtf8(text);
}

std::size_t SentencePieceTokenizer::vocabularySize() const {
    auto size = static_cast<std::size_t>(processor_.GetPieceSize());
    for (const auto& [id, token] : added_)
        size = std::max(size, static_cast<std::size_t>(id) + 1);
    return size;
}

std::optional<std::string> SentencePieceTokenizer::token(TokenId id) const {
    if (const AddedToken* const token = added(id))
        return token->content;
    return isPiece(id) ? std::optional(processor_.IdToPiece(id)) : std::nullopt;
}

std::optional<TokenId> SentencePieceTokenizer::id(std::string_view token) const {
    for (const auto& [id, added] : added_)
        if (added.content == token)
            return id;
    const TokenId id = processor_.PieceToId(token);
    return isPiece(id) && processor_.IdToPiece(id) == token ? std::optional(id) : std::nullopt;
}

bool SentencePieceTokenizer::isSpecial(TokenId id) const {
    const AddedToken* const token = added(id);
    return token != nullptr && token->special;
}

std::string SentencePieceTokenizer::piece(TokenId id) const {
    const auto text = token(id);
    if (!text || added(id) != nullptr)
        return text.value_or("");
    if (const auto byte = processor_.IsByte(id) ? byteOfToken(*text) : std::nullopt)
        return escapeInvalidUtf8(std::string(1, static_cast<char>(*byte)));
    return replaceAll(*text, kSpace, " ");
}

std::string_view SentencePieceTokenizer::kind() const {
    switch (kind_) {
    case SentencePieceFile::Kind::Bpe:
        return "sentencepiece BPE";
    case SentencePieceFile::Kind::Word:
        return "sentencepiece words";
    case SentencePieceFile::Kind::Character:
        return "sentencepiece characters";
    case SentencePieceFile::Kind::Unigram:
        break;
    }
    return "sentencepiece Unigram";
}

} // namespace

Result<std::shared_ptr<const Tokenizer>> readSentencePiece(std::string_view model,
                                                           std::string_view source,
                                                           const SentencePieceOptions& options) {
    const auto file = SentencePieceFile::parse(model, source);
    if (!file)
        return file.error();
    const auto tokenizer = std::make_shared<SentencePieceTokenizer>();
    if (const auto loaded = tokenizer->load(*file, options); !loaded)
        return Error{ErrorCode::Malformed, std::string(source) +
                                               ": libsentencepiece refuses the model (" +
                                               loaded.error().message + "); copy the file again."};
    return std::shared_ptr<const Tokenizer>(tokenizer);
}

} // namespace headscope

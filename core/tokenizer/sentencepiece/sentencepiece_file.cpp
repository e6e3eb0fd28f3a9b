#include "core/tokenizer/sentencepiece/sentencepiece_file.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/io/sentencepiece_model.h"
#include "core/tokenizer/models/token_model.h"
#include "core/tokenizer/normalizers/chars_map.h"
#include "core/tokenizer/tokenizer.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

namespace headscope {

namespace {

/// libsentencepiece keeps the user-defined pieces that begin one another in an array of 64.
constexpr std::size_t kMostNestedPieces = 60;
constexpr std::uint64_t kUserDefined = 4;
// Fields of sentencepiece_model.proto.
constexpr std::uint32_t kModelType = 3;
constexpr std::uint32_t kCharsMap = 2;

/// The sentences continue "the sentencepiece model …".
Error broken(std::string what) {
    return {ErrorCode::Malformed, std::move(what)};
}

Result<void> checkPiece(const SentencePiece& piece, std::size_t index) {
    const std::string name = "has as piece " + std::to_string(index) + " ";
    if (firstInvalidUtf8(piece.text) != std::string::npos)
        return broken(name + "a text that is not UTF-8");
    if (piece.text.empty() || piece.text.find('\0') != std::string::npos)
        return pieceWithoutText(index);
    if (!std::isfinite(piece.score))
        return broken(name + inQuotes(piece.text) + " with a score that is not finite");
    return {};
}

Result<void> checkNesting(const std::vector<SentencePiece>& pieces) {
    std::unordered_set<std::string_view> user_defined;
    for (const SentencePiece& piece : pieces)
        if (piece.type == kUserDefined)
            user_defined.insert(piece.text);
    for (const std::string_view piece : user_defined) {
        std::size_t nested = 0;
        for (std::size_t length = 1; length <= piece.size(); ++length)
            nested += user_defined.count(piece.substr(0, length));
        if (nested > kMostNestedPieces)
            return broken("has more than " + std::to_string(kMostNestedPieces) +
                          " user-defined pieces that begin one another, such as " +
                          inQuotes(piece));
    }
    return {};
}

Result<void> checkPieces(const std::vector<SentencePiece>& pieces) {
    if (pieces.empty())
        return broken("holds no pieces");
    if (pieces.size() > kLargestTokenId)
        return broken("has more than " + std::to_string(kLargestTokenId) + " pieces");
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (auto good = checkPiece(pieces[i], i); !good)
            return good;
    return checkNesting(pieces);
}

Result<void> checkCharsMaps(const SentencePieceSettings& settings) {
    for (const auto& [field, value] : settings) {
        const auto* const bytes = std::get_if<std::string>(&value);
        if (field != kCharsMap || bytes == nullptr || bytes->empty())
            continue;
        if (const auto map = CharsMap::parse(*bytes); !map)
            return broken("has a precompiled_charsmap that " + map.error().message);
    }
    return {};
}

Result<SentencePieceFile::Kind> kindOf(const SentencePieceModel& model) {
    auto kind = SentencePieceFile::Kind::Unigram;
    for (const auto& [field, value] : model.trainer) {
        if (field != kModelType)
            continue;
        const auto number = std::get<std::uint64_t>(value);
        if (number < 1 || number > 4)
            return broken("is of the kind " + std::to_string(number) +
                          ", expected 1 (unigram), 2 (BPE), 3 (word) or 4 (character)");
        kind = static_cast<SentencePieceFile::Kind>(number);
    }
    return kind;
}

Result<SentencePieceFile> checked(std::string_view bytes) {
    const auto model = readSentencePieceModel(bytes);
    if (!model)
        return model.error();
    if (const auto good = checkPieces(model->pieces); !good)
        return good.error();
    for (const auto* const settings : {&model->normalizer, &model->denormalizer})
        if (const auto good = checkCharsMaps(*settings); !good)
            return good.error();
    const auto kind = kindOf(*model);
    if (!kind)
        return kind.error();
    return SentencePieceFile{*kind, sentencePieceFile(*model)};
}

} // namespace

Result<SentencePieceFile> SentencePieceFile::parse(std::string_view bytes,
                                                   std::string_view source) {
    if (bytes.size() > kLargestSentencePieceFile)
        return Error{ErrorCode::TooLarge, std::string(source) + ": the sentencepiece model is " +
                                              byteText(bytes.size()) + " long, and at most " +
                                              byteText(kLargestSentencePieceFile) + " are read."};
    auto file = checked(bytes);
    if (!file)
        return Error{file.error().code, std::string(source) + ": the sentencepiece model " +
                                            file.error().message + "."};
    return file;
}

} // namespace headscope

#include "core/tokenizer/sentencepiece/sentencepiece_file.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/tokenizer/models/token_model.h"
#include "core/tokenizer/normalizers/chars_map.h"
#include "core/tokenizer/tokenizer.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_set>

namespace headscope {

namespace {

/// One field of a protocol buffer message.
struct WireField {
    std::uint64_t number = 0;
    std::uint64_t value = 0; ///< of a varint or of 4 or 8 bytes
    std::string_view bytes;  ///< of a text or a message in the message
    bool is_bytes = false;
};

/// Walks through the fields of a protocol buffer message
/// (https://protobuf.dev/programming-guides/encoding). Groups, which no current file has, count as
/// broken.
class WireReader {
public:
    explicit WireReader(std::string_view message) : rest_(message) {}

    /// The next field; nothing at the end and where the message is broken.
    std::optional<WireField> next();
    bool isBroken() const { return broken_; }

private:
    std::optional<std::uint64_t> varint();
    std::optional<std::uint64_t> fixed(std::size_t bytes);
    std::optional<std::string_view> take(std::uint64_t bytes);
    bool readContent(std::uint64_t type, WireField& field);

    std::string_view rest_;
    bool broken_ = false;
};

std::optional<WireField> WireReader::next() {
    if (rest_.empty() || broken_)
        return std::nullopt;
    WireField field;
    const auto key = varint();
    broken_ = !key || *key >> 3 == 0 || !readContent(*key & 7, field);
    if (broken_)
        return std::nullopt;
    field.number = *key >> 3;
    return field;
}

bool WireReader::readContent(std::uint64_t type, WireField& field) {
    std::optional<std::uint64_t> value;
    switch (type) {
    case 0:
        value = varint();
        break;
    case 1:
        value = fixed(8);
        break;
    case 5:
        value = fixed(4);
        break;
    case 2: {
        const auto length = varint();
        const auto bytes = length ? take(*length) : std::nullopt;
        field.is_bytes = true;
        field.bytes = bytes.value_or(std::string_view());
        return bytes.has_value();
    }
    default:
        return false;
    }
    field.value = value.value_or(0);
    return value.has_value();
}

std::optional<std::uint64_t> WireReader::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> WireReader::fixed(std::size_t bytes) {
    const auto text = take(bytes);
    if (!text)
        return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>((*text)[i]);
    return value;
}

std::optional<std::string_view> WireReader::take(std::uint64_t bytes) {
    if (bytes > rest_.size())
        return std::nullopt;
    const std::string_view text = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return text;
}

/// libsentencepiece keeps the user-defined pieces that begin one another in an array of 64.
constexpr std::size_t kMostNestedPieces = 60;

struct Piece {
    std::string_view text;
    float score = 0.0f;
    std::uint64_t type = 1;

    bool isUserDefined() const { return type == 4; }
};

/// The fields of sentencepiece_model.proto that matter here; the sentences continue "the
/// sentencepiece model …".
class Reader {
public:
    Result<SentencePieceFile> read(std::string_view model) {
        WireReader fields(model);
        while (const auto field = fields.next())
            if (const auto done = readField(*field); !done)
                return done.error();
        if (fields.isBroken())
            return broken("is cut off or no sentencepiece model");
        if (file_.n_pieces == 0)
            return broken("holds no pieces");
        return checkNesting();
    }

private:
    static Error broken(std::string what) { return {ErrorCode::Malformed, std::move(what)}; }

    Result<void> readField(const WireField& field) {
        if (field.is_bytes && field.number == 1)
            return readPiece(field.bytes);
        if (field.is_bytes && field.number == 2)
            return readTrainerSpec(field.bytes);
        if (field.is_bytes && (field.number == 3 || field.number == 5))
            return readNormalizerSpec(field.bytes);
        return {};
    }

    Result<void> readPiece(std::string_view message) {
        Piece piece;
        WireReader fields(message);
        while (const auto field = fields.next()) {
            if (field->number == 1 && field->is_bytes)
                piece.text = field->bytes;
            else if (field->number == 2)
                piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field->value));
            else if (field->number == 3)
                piece.type = field->value;
        }
        if (fields.isBroken())
            return broken("is cut off or no sentencepiece model");
        const std::string name = "has as piece " + std::to_string(file_.n_pieces++) + " ";
        if (file_.n_pieces > kLargestTokenId)
            return broken("has more than " + std::to_string(kLargestTokenId) + " pieces");
        if (firstInvalidUtf8(piece.text) != std::string_view::npos)
            return broken(name + "a text that is not UTF-8");
        if (piece.text.empty() || piece.text.find('\0') != std::string_view::npos)
            return broken(name + "a text that is empty or has a NUL in it");
        if (!std::isfinite(piece.score))
            return broken(name + inQuotes(piece.text) + " with a score that is not finite");
        if (piece.isUserDefined())
            user_defined_.insert(piece.text);
        return {};
    }

    Result<void> readTrainerSpec(std::string_view message) {
        WireReader fields(message);
        while (const auto field = fields.next()) {
            if (field->number != 3)
                continue;
            if (field->value < 1 || field->value > 4)
                return broken("is of the kind " + std::to_string(field->value) +
                              ", expected 1 (unigram), 2 (BPE), 3 (word) or 4 (character)");
            file_.kind = static_cast<SentencePieceFile::Kind>(field->value);
        }
        return fields.isBroken() ? broken("has a broken trainer_spec") : Result<void>();
    }

    static Result<void> readNormalizerSpec(std::string_view message) {
        WireReader fields(message);
        while (const auto field = fields.next()) {
            if (field->number != 2 || field->bytes.empty())
                continue;
            if (const auto map = CharsMap::parse(field->bytes); !map)
                return broken("has a precompiled_charsmap that " + map.error().message);
        }
        return fields.isBroken() ? broken("has a broken normalizer_spec") : Result<void>();
    }

    Result<SentencePieceFile> checkNesting() const {
        for (const std::string_view piece : user_defined_) {
            std::size_t nested = 0;
            for (std::size_t length = 1; length <= piece.size(); ++length)
                nested += user_defined_.count(piece.substr(0, length));
            if (nested > kMostNestedPieces)
                return broken("has more than " + std::to_string(kMostNestedPieces) +
                              " user-defined pieces that begin one another, such as " +
                              inQuotes(piece));
        }
        return file_;
    }

    SentencePieceFile file_;
    std::unordered_set<std::string_view> user_defined_;
};

} // namespace

Result<SentencePieceFile> SentencePieceFile::parse(std::string_view bytes,
                                                   std::string_view source) {
    if (bytes.size() > kLargestSentencePieceFile)
        return Error{ErrorCode::TooLarge, std::string(source) + ": the sentencepiece model is " +
                                              byteText(bytes.size()) + " long, and at most " +
                                              byteText(kLargestSentencePieceFile) + " are read."};
    auto file = Reader().read(bytes);
    if (!file)
        return Error{file.error().code, std::string(source) + ": the sentencepiece model " +
                                            file.error().message + "."};
    return file;
}

} // namespace headscope

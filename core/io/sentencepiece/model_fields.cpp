#include "core/io/sentencepiece/model_fields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <utility>

namespace headscope {

namespace {

// Types of fields in a protocol buffer message.
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kEightBytes = 1;
constexpr std::uint64_t kBytes = 2;
constexpr std::uint64_t kFourBytes = 5;

// The fields of sentencepiece_model.proto that matter for reading texts.

constexpr std::uint32_t kPieces = 1;
constexpr std::uint32_t kTrainer = 2;
constexpr std::uint32_t kNormalizer = 3;
constexpr std::uint32_t kDenormalizer = 5;
constexpr std::uint32_t kText = 1;
constexpr std::uint32_t kScore = 2;
constexpr std::uint32_t kType = 3;

struct KnownSetting {
    std::uint32_t field;
    bool is_text;
};

constexpr std::array kTrainerSettings{
    KnownSetting{3, false},  // model_type
    KnownSetting{24, false}, // treat_whitespace_as_suffix
    KnownSetting{35, false}, // byte_fallback
    KnownSetting{40, false}, // unk_id
    KnownSetting{41, false}, // bos_id
    KnownSetting{42, false}, // eos_id
    KnownSetting{43, false}, // pad_id
    KnownSetting{44, true},  // unk_surface
    KnownSetting{45, true},  // unk_piece
    KnownSetting{46, true},  // bos_piece
    KnownSetting{47, true},  // eos_piece
    KnownSetting{48, true},  // pad_piece
};

constexpr std::array kNormalizerSettings{
    KnownSetting{2, true},  // precompiled_charsmap
    KnownSetting{3, false}, // add_dummy_prefix
    KnownSetting{4, false}, // remove_extra_whitespaces
    KnownSetting{5, false}, // escape_whitespaces
};

bool isKnown(std::span<const KnownSetting> known, std::uint64_t field, bool is_text) {
    return std::ranges::any_of(known, [&](const KnownSetting& setting) {
        return setting.field == field && setting.is_text == is_text;
    });
}

/// One field of a protocol buffer message.
struct WireField {
    std::uint64_t number = 0;
    std::uint64_t type = 0;
    std::uint64_t value = 0; ///< of a varint or of 4 or 8 bytes
    std::string_view bytes;  ///< of a text or a message in the message
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
    bool readContent(WireField& field);

    std::string_view rest_;
    bool broken_ = false;
};

std::optional<WireField> WireReader::next() {
    if (rest_.empty() || broken_)
        return std::nullopt;
    WireField field;
    const auto key = varint();
    field.number = key.value_or(0) >> 3;
    field.type = key.value_or(0) & 7;
    broken_ = field.number == 0 || !readContent(field);
    return broken_ ? std::nullopt : std::optional(field);
}

bool WireReader::readContent(WireField& field) {
    std::optional<std::uint64_t> value;
    switch (field.type) {
    case kVarint:
        value = varint();
        break;
    case kEightBytes:
        value = fixed(8);
        break;
    case kFourBytes:
        value = fixed(4);
        break;
    case kBytes: {
        const auto length = varint();
        const auto bytes = length ? take(*length) : std::nullopt;
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

Error broken(std::string what) {
    return {ErrorCode::Malformed, std::move(what)};
}

Error cutOff() {
    return broken("is cut off or no sentencepiece model");
}

Result<SentencePiece> pieceOf(std::string_view message) {
    SentencePiece piece;
    WireReader fields(message);
    while (const auto field = fields.next()) {
        if (field->number == kText && field->type == kBytes)
            piece.text = field->bytes;
        else if (field->number == kScore && field->type == kFourBytes)
            piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field->value));
        else if (field->number == kType && field->type == kVarint)
            piece.type = field->value;
    }
    return fields.isBroken() ? cutOff() : Result(std::move(piece));
}

/// The one of a field, of which the last one counts.
SentencePieceSetting& settingOf(SentencePieceSettings& settings, std::uint64_t number) {
    const auto field = static_cast<std::uint32_t>(number);
    const auto found = std::ranges::find(settings, field, &SentencePieceSetting::field);
    return found != settings.end() ? *found
                                   : settings.emplace_back(SentencePieceSetting{field, {}});
}

/// Whether the message is whole.
bool addSettings(std::string_view message, std::span<const KnownSetting> known,
                 SentencePieceSettings& settings) {
    WireReader fields(message);
    while (const auto field = fields.next()) {
        const bool is_text = field->type == kBytes;
        if ((!is_text && field->type != kVarint) || !isKnown(known, field->number, is_text))
            continue;
        SentencePieceSetting& setting = settingOf(settings, field->number);
        if (is_text)
            setting.value = std::string(field->bytes);
        else
            setting.value = field->value;
    }
    return !fields.isBroken();
}

Result<void> addField(const WireField& field, SentencePieceModel& model) {
    if (field.type != kBytes)
        return {};
    if (field.number == kPieces) {
        auto piece = pieceOf(field.bytes);
        if (!piece)
            return piece.error();
        if (piece->text.empty()) // which take ten times as many bytes in an answer
            return pieceWithoutText(model.pieces.size());
        model.pieces.push_back(*std::move(piece));
    } else if (field.number == kTrainer) {
        if (!addSettings(field.bytes, kTrainerSettings, model.trainer))
            return broken("has a broken trainer_spec");
    } else if (field.number == kNormalizer || field.number == kDenormalizer) {
        if (!addSettings(field.bytes, kNormalizerSettings,
                         field.number == kNormalizer ? model.normalizer : model.denormalizer))
            return broken("has a broken normalizer_spec");
    }
    return {};
}

bool areKnown(const SentencePieceSettings& settings, std::span<const KnownSetting> known) {
    return std::ranges::all_of(settings, [&](const SentencePieceSetting& setting) {
        return isKnown(known, setting.field, setting.value.index() == 1);
    });
}

class WireWriter {
public:
    std::string take() { return std::move(bytes_); }

    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7)
            bytes_.push_back(static_cast<char>(value | 0x80));
        bytes_.push_back(static_cast<char>(value));
    }
    void number(std::uint32_t field, std::uint64_t value) {
        begin(field, kVarint);
        varint(value);
    }
    void float32(std::uint32_t field, float value) {
        begin(field, kFourBytes);
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (unsigned shift = 0; shift < 32; shift += 8)
            bytes_.push_back(static_cast<char>(bits >> shift & 0xFF));
    }
    void text(std::uint32_t field, std::string_view value) {
        begin(field, kBytes);
        varint(value.size());
        bytes_.append(value);
    }

private:
    void begin(std::uint32_t field, std::uint64_t type) { varint(field << 3 | type); }

    std::string bytes_;
};

std::string messageOf(const SentencePiece& piece) {
    WireWriter to;
    to.text(kText, piece.text);
    to.float32(kScore, piece.score);
    to.number(kType, piece.type);
    return to.take();
}

std::string messageOf(const SentencePieceSettings& settings) {
    WireWriter to;
    for (const auto& [field, value] : settings)
        if (const auto* const text = std::get_if<std::string>(&value))
            to.text(field, *text);
        else
            to.number(field, std::get<std::uint64_t>(value));
    return to.take();
}

} // namespace

Result<SentencePieceModel> parseSentencePieceModel(std::string_view bytes) {
    SentencePieceModel model;
    WireReader fields(bytes);
    while (const auto field = fields.next())
        if (const auto added = addField(*field, model); !added)
            return added.error();
    return fields.isBroken() ? cutOff() : Result(std::move(model));
}

bool hasOnlyKnownSettings(const SentencePieceModel& model) {
    return areKnown(model.trainer, kTrainerSettings) &&
           areKnown(model.normalizer, kNormalizerSettings) &&
           areKnown(model.denormalizer, kNormalizerSettings);
}

Error pieceWithoutText(std::size_t index) {
    return broken("has as piece " + std::to_string(index) +
                  " a text that is empty or has a NUL in it");
}

std::string sentencePieceFile(const SentencePieceModel& model) {
    WireWriter to;
    for (const SentencePiece& piece : model.pieces)
        to.text(kPieces, messageOf(piece));
    to.text(kTrainer, messageOf(model.trainer));
    to.text(kNormalizer, messageOf(model.normalizer));
    if (!model.denormalizer.empty())
        to.text(kDenormalizer, messageOf(model.denormalizer));
    return to.take();
}

} // namespace headscope

#include "core/io/sealed/wire.h"

#include "core/io/files/tensor_reading.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace headscope {

namespace {

/// The last value of each enumeration that travels.
constexpr std::uint8_t kLastCode = static_cast<std::uint8_t>(ErrorCode::WriteFailed);
constexpr std::uint8_t kLastType = static_cast<std::uint8_t>(StoredType::Other);
constexpr std::uint8_t kLastFilter = static_cast<std::uint8_t>(ChunkFilter::Fletcher32);
constexpr std::uint8_t kLastWritten = static_cast<std::uint8_t>(WrittenType::Text);

class Encoder {
public:
    void number(std::unsigned_integral auto value) {
        for (std::size_t i = 0; i < sizeof(value); ++i)
            bytes_.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFF));
    }
    void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void choice(Enum value) { number(static_cast<std::uint8_t>(value)); }
    void blob(std::span<const std::byte> value) {
        number(std::uint64_t{value.size()});
        bytes_.insert(bytes_.end(), value.begin(), value.end());
    }
    void text(std::string_view value) { blob(std::as_bytes(std::span(value))); }
    void shape(const Shape& value) {
        list(value, [this](std::size_t size) { number(std::uint64_t{size}); });
    }
    template <class List, class Each>
    void list(const List& values, Each each) {
        number(std::uint64_t{values.size()});
        for (const auto& value : values)
            each(value);
    }

    Bytes finish() {
        Encoder length;
        length.number(std::uint64_t{bytes_.size()});
        bytes_.insert(bytes_.begin(), length.bytes_.begin(), length.bytes_.end());
        return std::move(bytes_);
    }

private:
    Bytes bytes_;
};

/// Reads what an Encoder wrote. After the first thing that is not there everything is zero or
/// empty, and isBroken() tells.
class Decoder {
public:
    explicit Decoder(std::span<const std::byte> bytes) : rest_(bytes) {}

    bool isBroken() const { return broken_; }
    bool isAtEnd() const { return rest_.empty() && !broken_; }

    template <std::unsigned_integral Number>
    Number number() {
        return static_cast<Number>(littleEndian(take(sizeof(Number))));
    }
    bool flag() { return choice<std::uint8_t>(1) == 1; }
    template <class Enum>
    Enum choice(std::uint8_t last) {
        const auto value = number<std::uint8_t>();
        if (value > last)
            fail();
        return static_cast<Enum>(broken_ ? std::uint8_t{0} : value);
    }
    std::span<const std::byte> blob() { return take(number<std::uint64_t>()); }
    std::string text() {
        const auto bytes = blob();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    Shape shape() {
        Shape value;
        list(sizeof(std::uint64_t), [&] { value.push_back(number<std::uint64_t>()); });
        return value;
    }
    /// Calls `each` for every element of a list whose elements take `least` bytes or more.
    template <class Each>
    void list(std::size_t least, Each each, std::uint64_t most = UINT64_MAX) {
        const auto count = number<std::uint64_t>();
        if (count > rest_.size() / least || count > most)
            fail();
        for (std::uint64_t i = 0; i < count && !broken_; ++i)
            each();
    }

private:
    void fail() {
        broken_ = true;
        rest_ = {};
    }
    std::span<const std::byte> take(std::uint64_t count) {
        if (count > rest_.size())
            fail();
        const auto taken = broken_ ? std::span<const std::byte>() : rest_.first(count);
        rest_ = rest_.subspan(taken.size());
        return taken;
    }

    std::span<const std::byte> rest_;
    bool broken_ = false;
};

void encode(Encoder& to, const Error& error) {
    to.choice(error.code);
    to.text(error.message);
}

Error decodeError(Decoder& from) {
    const auto code = from.choice<ErrorCode>(kLastCode);
    return {code, from.text()};
}

void encode(Encoder& to, const Refusal& refusal) {
    encode(to, refusal.reason);
    to.text(refusal.tensor);
}

Refusal decodeRefusal(Decoder& from) {
    Error reason = decodeError(from);
    return {std::move(reason), from.text()};
}

void encode(Encoder& to, const CompactStorage& storage) {
    to.blob(storage);
}

void encode(Encoder& to, const ContiguousStorage& storage) {
    to.number(storage.offset);
}

void encode(Encoder& to, const ChunkedStorage& storage) {
    to.shape(storage.chunk_shape);
    to.list(storage.filters, [&](ChunkFilter filter) { to.choice(filter); });
    to.list(storage.places, [&](const ChunkPlace& place) {
        to.number(place.offset);
        to.number(place.bytes);
        to.number(place.skipped_filters);
    });
}

ChunkedStorage decodeChunks(Decoder& from) {
    ChunkedStorage storage;
    storage.chunk_shape = from.shape();
    from.list(1, [&] { storage.filters.push_back(from.choice<ChunkFilter>(kLastFilter)); });
    from.list(20, [&] {
        ChunkPlace place;
        place.offset = from.number<std::uint64_t>();
        place.bytes = from.number<std::uint64_t>();
        place.skipped_filters = from.number<std::uint32_t>();
        storage.places.push_back(place);
    });
    return storage;
}

void encode(Encoder& to, const DatasetDescription& dataset) {
    to.text(dataset.path);
    to.shape(dataset.shape);
    to.choice(dataset.type);
    to.number(dataset.element_bytes);
    to.flag(dataset.big_endian);
    to.flag(dataset.is_signed);
    to.number(dataset.object);
    to.number(static_cast<std::uint8_t>(dataset.storage.index()));
    std::visit([&](const auto& storage) { encode(to, storage); }, dataset.storage);
}

DatasetDescription decodeDataset(Decoder& from) {
    DatasetDescription dataset;
    dataset.path = from.text();
    dataset.shape = from.shape();
    dataset.type = from.choice<StoredType>(kLastType);
    dataset.element_bytes = from.number<std::uint64_t>();
    dataset.big_endian = from.flag();
    dataset.is_signed = from.flag();
    dataset.object = from.number<std::uint64_t>();
    switch (from.choice<std::uint8_t>(2)) {
    case 0: {
        const auto bytes = from.blob();
        dataset.storage = CompactStorage(bytes.begin(), bytes.end());
        break;
    }
    case 1:
        dataset.storage = ContiguousStorage{from.number<std::uint64_t>()};
        break;
    default:
        dataset.storage = decodeChunks(from);
    }
    return dataset;
}

void encode(Encoder& to, const Hdf5Description& file) {
    to.list(file.datasets, [&](const DatasetDescription& dataset) { encode(to, dataset); });
    to.list(file.texts, [&](const auto& named) {
        to.text(named.first);
        to.text(named.second);
    });
}

Hdf5Description decodeHdf5(Decoder& from) {
    Hdf5Description file;
    from.list(
        44, [&] { file.datasets.push_back(decodeDataset(from)); }, kMostEntries);
    from.list(
        16,
        [&] {
            std::string name = from.text();
            file.texts.insert_or_assign(std::move(name), from.text());
        },
        kMostEntries);
    return file;
}

void encode(Encoder& to, const ZipDescription& archive) {
    to.list(archive.members, [&](const ZipMember& member) {
        to.text(member.name);
        to.number(member.offset);
        to.number(member.stored_bytes);
        to.number(member.bytes);
        to.number(member.crc32);
        to.flag(member.deflated);
    });
}

ZipDescription decodeZip(Decoder& from) {
    ZipDescription archive;
    from.list(
        37,
        [&] {
            ZipMember member;
            member.name = from.text();
            member.offset = from.number<std::uint64_t>();
            member.stored_bytes = from.number<std::uint64_t>();
            member.bytes = from.number<std::uint64_t>();
            member.crc32 = from.number<std::uint32_t>();
            member.deflated = from.flag();
            archive.members.push_back(std::move(member));
        },
        kMostEntries);
    return archive;
}

void encode(Encoder& to, const Hdf5Layout& layout) {
    to.number(layout.bytes);
    to.list(layout.rest, [&](const BytesAt& part) {
        to.number(part.offset);
        to.blob(part.bytes);
    });
    to.list(layout.places, [&](const auto& places) {
        to.list(places, [&](const BytePlace& place) {
            to.number(place.offset);
            to.number(place.bytes);
        });
    });
}

Hdf5Layout decodeLayout(Decoder& from) {
    Hdf5Layout layout;
    layout.bytes = from.number<std::uint64_t>();
    from.list(16, [&] {
        const auto offset = from.number<std::uint64_t>();
        const auto bytes = from.blob();
        layout.rest.push_back({offset, {bytes.begin(), bytes.end()}});
    });
    from.list(8, [&] {
        auto& places = layout.places.emplace_back();
        from.list(16, [&] {
            const auto offset = from.number<std::uint64_t>();
            places.push_back({offset, from.number<std::uint64_t>()});
        });
    });
    return layout;
}

void encode(Encoder& to, const JsonAnswers& answers) {
    to.list(answers.texts, [&](const Result<Bytes>& text) {
        to.flag(static_cast<bool>(text));
        if (text)
            to.blob(*text);
        else
            encode(to, text.error());
    });
}

JsonAnswers decodeJsonAnswers(Decoder& from) {
    JsonAnswers answers;
    from.list(9, [&] {
        if (!from.flag()) {
            answers.texts.emplace_back(decodeError(from));
            return;
        }
        const auto bytes = from.blob();
        answers.texts.emplace_back(Bytes(bytes.begin(), bytes.end()));
    });
    return answers;
}

void encode(Encoder& to, const GgufAnswer& file) {
    to.text(file.metadata);
    to.list(file.tensors, [&](const DescribedTensor& tensor) {
        to.text(tensor.name);
        to.number(tensor.format);
        to.shape(tensor.shape);
        to.number(tensor.offset);
    });
    to.number(file.split_number);
    to.number(file.split_count);
    to.number(file.split_tensors);
}

GgufAnswer decodeGguf(Decoder& from) {
    GgufAnswer file;
    file.metadata = from.text();
    from.list(
        28,
        [&] {
            DescribedTensor& tensor = file.tensors.emplace_back();
            tensor.name = from.text();
            tensor.format = from.number<std::uint32_t>();
            tensor.shape = from.shape();
            tensor.offset = from.number<std::uint64_t>();
        },
        kMostGgufTensors);
    file.split_number = from.number<std::uint64_t>();
    file.split_count = from.number<std::uint64_t>();
    file.split_tensors = from.number<std::uint64_t>();
    return file;
}

void encode(Encoder& to, const SentencePieceSettings& settings) {
    to.list(settings, [&](const SentencePieceSetting& setting) {
        const auto* const text = std::get_if<std::string>(&setting.value);
        to.number(setting.field);
        to.flag(text != nullptr);
        if (text != nullptr)
            to.text(*text);
        else
            to.number(std::get<std::uint64_t>(setting.value));
    });
}

SentencePieceSettings decodeSettings(Decoder& from) {
    SentencePieceSettings settings;
    from.list(13, [&] {
        SentencePieceSetting& setting = settings.emplace_back();
        setting.field = from.number<std::uint32_t>();
        if (from.flag())
            setting.value = from.text();
        else
            setting.value = from.number<std::uint64_t>();
    });
    return settings;
}

void encode(Encoder& to, const SentencePieceModel& model) {
    to.list(model.pieces, [&](const SentencePiece& piece) {
        to.text(piece.text);
        to.number(std::bit_cast<std::uint32_t>(piece.score));
        to.number(piece.type);
    });
    encode(to, model.trainer);
    encode(to, model.normalizer);
    encode(to, model.denormalizer);
}

SentencePieceModel decodeSentencePiece(Decoder& from) {
    SentencePieceModel model;
    from.list(20, [&] {
        SentencePiece& piece = model.pieces.emplace_back();
        piece.text = from.text();
        piece.score = std::bit_cast<float>(from.number<std::uint32_t>());
        piece.type = from.number<std::uint64_t>();
    });
    model.trainer = decodeSettings(from);
    model.normalizer = decodeSettings(from);
    model.denormalizer = decodeSettings(from);
    return model;
}

void encode(Encoder& to, const Hdf5Plan& plan) {
    to.list(plan.arrays, [&](const PlannedArray& array) {
        to.text(array.path);
        to.shape(array.shape);
        to.choice(array.type);
        to.number(array.element_bytes);
        to.shape(array.chunk_shape);
    });
    to.list(plan.texts, [&](const auto& named) {
        to.text(named.first);
        to.text(named.second);
    });
}

Hdf5Plan decodePlanParts(Decoder& from) {
    Hdf5Plan plan;
    from.list(33, [&] {
        PlannedArray& array = plan.arrays.emplace_back();
        array.path = from.text();
        array.shape = from.shape();
        array.type = from.choice<WrittenType>(kLastWritten);
        array.element_bytes = from.number<std::uint64_t>();
        array.chunk_shape = from.shape();
    });
    from.list(16, [&] {
        std::string name = from.text();
        plan.texts.emplace_back(std::move(name), from.text());
    });
    return plan;
}

ReaderAnswer decodeAnswerParts(Decoder& from) {
    switch (from.choice<std::uint8_t>(6)) {
    case 0:
        return decodeRefusal(from);
    case 1:
        return decodeHdf5(from);
    case 2:
        return decodeZip(from);
    case 3:
        return decodeLayout(from);
    case 4:
        return decodeJsonAnswers(from);
    case 5:
        return decodeGguf(from);
    default:
        return decodeSentencePiece(from);
    }
}

void encode(Encoder& to, const JsonQuestion& question) {
    to.number(std::uint64_t{question.limits.depth});
    to.number(std::uint64_t{question.limits.values});
    to.flag(question.limits.unique_keys);
    to.number(std::uint64_t{question.limits.room});
    to.list(question.texts, [&](std::string_view text) { to.text(text); });
}

std::string_view takeText(Decoder& from) {
    const auto text = from.blob();
    return {reinterpret_cast<const char*>(text.data()), text.size()};
}

JsonQuestion decodeJsonQuestion(Decoder& from) {
    JsonQuestion question;
    question.limits.depth = from.number<std::uint64_t>();
    question.limits.values = from.number<std::uint64_t>();
    question.limits.unique_keys = from.flag();
    question.limits.room = from.number<std::uint64_t>();
    from.list(8, [&] { question.texts.push_back(takeText(from)); });
    return question;
}

void encode(Encoder& to, const SentencePieceQuestion& question) {
    to.text(question.model);
}

void encode(Encoder& to, const ReaderQuestion& question) {
    to.number(static_cast<std::uint8_t>(question.index()));
    std::visit([&](const auto& kind) { encode(to, kind); }, question);
}

ReaderQuestion decodeQuestionParts(Decoder& from) {
    if (from.choice<std::uint8_t>(1) == 0)
        return decodeJsonQuestion(from);
    return SentencePieceQuestion{takeText(from)};
}

template <class Parts>
Bytes encoded(const Parts& parts) {
    Encoder to;
    encode(to, parts);
    return to.finish();
}

/// Whether the length that comes first is that of the rest.
bool hasItsLength(Decoder& from, std::span<const std::byte> bytes) {
    return from.number<std::uint64_t>() ==
           bytes.size() - std::min(bytes.size(), sizeof(std::uint64_t));
}

template <class Parts>
std::optional<Parts> decoded(std::span<const std::byte> bytes, Parts (*parts_of)(Decoder&)) {
    Decoder from(bytes);
    if (!hasItsLength(from, bytes))
        return std::nullopt;
    Parts parts = parts_of(from);
    return from.isAtEnd() ? std::optional(std::move(parts)) : std::nullopt;
}

} // namespace

Bytes encodeAnswer(const ReaderAnswer& answer) {
    Encoder to;
    to.number(static_cast<std::uint8_t>(answer.index()));
    std::visit([&](const auto& kind) { encode(to, kind); }, answer);
    return to.finish();
}

std::optional<ReaderAnswer> decodeAnswer(std::span<const std::byte> bytes) {
    return decoded(bytes, decodeAnswerParts);
}

Bytes encodePlan(const Hdf5Plan& plan) {
    return encoded(plan);
}

std::optional<Hdf5Plan> decodePlan(std::span<const std::byte> bytes) {
    return decoded(bytes, decodePlanParts);
}

Bytes encodeQuestion(const ReaderQuestion& question) {
    return encoded(question);
}

std::optional<ReaderQuestion> decodeQuestion(std::span<const std::byte> bytes) {
    return decoded(bytes, decodeQuestionParts);
}

} // namespace headscope

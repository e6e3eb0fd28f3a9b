#include "core/io/sealed/wire.h"

#include "core/io/sealed/wire_codec.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace headscope {

namespace {

/// The last value of each enumeration that travels.
constexpr std::uint8_t kLastCode = static_cast<std::uint8_t>(ErrorCode::WriteFailed);
constexpr std::uint8_t kLastType = static_cast<std::uint8_t>(StoredType::Other);
constexpr std::uint8_t kLastFilter = static_cast<std::uint8_t>(ChunkFilter::Fletcher32);

void encode(WireEncoder& to, const Error& error) {
    to.choice(error.code);
    to.text(error.message);
}

Error decodeError(WireDecoder& from) {
    const auto code = from.choice<ErrorCode>(kLastCode);
    return {code, from.text()};
}

void encode(WireEncoder& to, const Refusal& refusal) {
    encode(to, refusal.reason);
    to.text(refusal.tensor);
}

Refusal decodeRefusal(WireDecoder& from) {
    Error reason = decodeError(from);
    return {std::move(reason), from.text()};
}

void encode(WireEncoder& to, const CompactStorage& storage) {
    to.blob(storage);
}

void encode(WireEncoder& to, const ContiguousStorage& storage) {
    to.number(storage.offset);
}

void encode(WireEncoder& to, const ChunkedStorage& storage) {
    to.shape(storage.chunk_shape);
    to.list(storage.filters, [&](ChunkFilter filter) { to.choice(filter); });
    to.list(storage.places, [&](const ChunkPlace& place) {
        to.number(place.offset);
        to.number(place.bytes);
        to.number(place.skipped_filters);
    });
}

ChunkedStorage decodeChunks(WireDecoder& from) {
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

void encode(WireEncoder& to, const DatasetDescription& dataset) {
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

DatasetDescription decodeDataset(WireDecoder& from) {
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

void encode(WireEncoder& to, const Hdf5Description& file) {
    to.list(file.datasets, [&](const DatasetDescription& dataset) { encode(to, dataset); });
    to.list(file.texts, [&](const auto& named) {
        to.text(named.first);
        to.text(named.second);
    });
}

Hdf5Description decodeHdf5(WireDecoder& from) {
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

void encode(WireEncoder& to, const ZipDescription& archive) {
    to.list(archive.members, [&](const ZipMember& member) {
        to.text(member.name);
        to.number(member.offset);
        to.number(member.stored_bytes);
        to.number(member.bytes);
        to.number(member.crc32);
        to.flag(member.deflated);
    });
}

ZipDescription decodeZip(WireDecoder& from) {
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

void encode(WireEncoder& to, const Hdf5Layout& layout) {
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

Hdf5Layout decodeLayout(WireDecoder& from) {
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

void encode(WireEncoder& to, const JsonAnswers& answers) {
    to.list(answers.texts, [&](const Result<Bytes>& text) {
        to.flag(static_cast<bool>(text));
        if (text)
            to.blob(*text);
        else
            encode(to, text.error());
    });
}

JsonAnswers decodeJsonAnswers(WireDecoder& from) {
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

void encode(WireEncoder& to, const GgufAnswer& file) {
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

GgufAnswer decodeGguf(WireDecoder& from) {
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

void encode(WireEncoder& to, const SentencePieceSettings& settings) {
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

SentencePieceSettings decodeSettings(WireDecoder& from) {
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

void encode(WireEncoder& to, const SentencePieceModel& model) {
    to.list(model.pieces, [&](const SentencePiece& piece) {
        to.text(piece.text);
        to.number(std::bit_cast<std::uint32_t>(piece.score));
        to.number(piece.type);
    });
    encode(to, model.trainer);
    encode(to, model.normalizer);
    encode(to, model.denormalizer);
}

SentencePieceModel decodeSentencePiece(WireDecoder& from) {
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

ReaderAnswer decodeAnswerParts(WireDecoder& from) {
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

} // namespace

Bytes encodeAnswer(const ReaderAnswer& answer) {
    WireEncoder to;
    to.number(static_cast<std::uint8_t>(answer.index()));
    std::visit([&](const auto& kind) { encode(to, kind); }, answer);
    return to.finish();
}

std::optional<ReaderAnswer> decodeAnswer(std::span<const std::byte> bytes) {
    return decoded(bytes, decodeAnswerParts);
}

} // namespace headscope

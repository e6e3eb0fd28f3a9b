#include "core/io/hdf5/hdf5_chunks.h"

#include "core/io/files/tensor_reading.h"
#include "core/io/slabs.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace headscope {

Result<Bytes> inflateExactly(std::span<const std::byte> stored, std::size_t expected) {
    Bytes inflated(expected);
    uLongf inflated_bytes = expected;
    const int status = ::uncompress(reinterpret_cast<Bytef*>(inflated.data()), &inflated_bytes,
                                    reinterpret_cast<const Bytef*>(stored.data()), stored.size());
    if (status != Z_OK || inflated_bytes != expected)
        return Error{ErrorCode::Malformed, "a compressed part does not unpack to the " +
                                               std::to_string(expected) +
                                               " bytes it should have; download or copy the file "
                                               "again"};
    return inflated;
}

Bytes unshuffle(std::span<const std::byte> stored, std::size_t element_bytes) {
    Bytes plain(stored.size());
    const std::size_t count = stored.size() / element_bytes;
    for (std::size_t byte = 0; byte < element_bytes; ++byte)
        for (std::size_t i = 0; i < count; ++i)
            plain[i * element_bytes + byte] = stored[byte * count + i];
    const auto rest = stored.subspan(count * element_bytes);
    std::copy(rest.begin(), rest.end(), plain.end() - static_cast<std::ptrdiff_t>(rest.size()));
    return plain;
}

Bytes shuffle(std::span<const std::byte> plain, std::size_t element_bytes) {
    Bytes shuffled(plain.begin(), plain.end()); // with the rest that is no whole element
    const std::size_t count = plain.size() / element_bytes;
    for (std::size_t byte = 0; byte < element_bytes; ++byte)
        for (std::size_t i = 0; i < count; ++i)
            shuffled[byte * count + i] = plain[i * element_bytes + byte];
    return shuffled;
}

Bytes deflate(std::span<const std::byte> plain) {
    uLongf bytes = ::compressBound(plain.size());
    Bytes packed(bytes);
    const int status =
        ::compress2(reinterpret_cast<Bytef*>(packed.data()), &bytes,
                    reinterpret_cast<const Bytef*>(plain.data()), plain.size(), kDeflateLevel);
    if (status != Z_OK) // there is room for everything, so that memory is all it can lack
        throw std::bad_alloc();
    packed.resize(bytes);
    return packed;
}

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
    // The sums stay below 2^32 for 360 words between two reductions modulo 65535.
    constexpr std::size_t words_between = 360;
    std::uint32_t sum1 = 0;
    std::uint32_t sum2 = 0;
    const auto reduce = [](std::uint32_t sum) { return (sum & 0xFFFFu) + (sum >> 16); };
    const auto byte_at = [&](std::size_t i) {
        return i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0u;
    };
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        sum1 += byte_at(i) << 8 | byte_at(i + 1);
        sum2 += sum1;
        if ((i / 2 + 1) % words_between == 0) {
            sum1 = reduce(sum1);
            sum2 = reduce(sum2);
        }
    }
    return reduce(reduce(sum2)) << 16 | reduce(reduce(sum1));
}

Result<Bytes> verifyFletcher32(Bytes stored) {
    constexpr std::size_t sum_bytes = 4;
    bool sound = stored.size() >= sum_bytes;
    if (sound) {
        const std::uint64_t sum = littleEndian(std::span(stored).last(sum_bytes));
        stored.resize(stored.size() - sum_bytes);
        sound = fletcher32(stored) == sum;
    }
    if (!sound)
        return Error{ErrorCode::Malformed, "a part does not match its Fletcher-32 check sum; "
                                           "download or copy the file again"};
    return stored;
}

Error damagedPart() {
    return {ErrorCode::Malformed, "a part of it is damaged or was never written; download or copy "
                                  "the file again"};
}

bool advance(Shape& index, const Shape& step, const Shape& end) {
    for (std::size_t axis = index.size(); axis-- > 0;) {
        index[axis] += step[axis];
        if (index[axis] < end[axis])
            return true;
        index[axis] = 0;
    }
    return false;
}

namespace {

constexpr std::size_t kFletcherBytes = 4;

/// How the chunks of a dataset are packed.
struct ChunkLayout {
    const Shape& shape; ///< of the dataset, in elements
    const Shape& chunk_shape;
    std::size_t element_bytes;
    const std::vector<ChunkFilter>& filters;

    std::size_t chunkBytes() const { return elementCount(chunk_shape) * element_bytes; }
};

Result<Bytes> fetchChunk(const InputFile& file, const ChunkLayout& layout,
                         const ChunkPlace& place) {
    const std::size_t limit =
        ::compressBound(layout.chunkBytes() + kFletcherBytes) + kFletcherBytes;
    if (place.bytes > limit)
        return damagedPart();
    Bytes stored(place.bytes);
    const auto read = file.readAt(place.offset, stored);
    if (!read)
        return read.error();
    if (*read < stored.size())
        return damagedPart();
    return stored;
}

Result<Bytes> undoFilters(Bytes chunk, std::uint32_t skipped_filters, const ChunkLayout& layout) {
    const auto used = [&](std::size_t i) { return (skipped_filters >> i & 1u) == 0; };
    std::size_t appended = 0;
    for (std::size_t i = 0; i < layout.filters.size(); ++i)
        if (layout.filters[i] == ChunkFilter::Fletcher32 && used(i))
            appended += kFletcherBytes;
    for (std::size_t i = layout.filters.size(); i-- > 0;) {
        if (!used(i))
            continue;
        Result<Bytes> undone = Bytes();
        switch (layout.filters[i]) {
        case ChunkFilter::Deflate:
            undone = inflateExactly(chunk, layout.chunkBytes() + appended);
            break;
        case ChunkFilter::Shuffle:
            undone = unshuffle(chunk, layout.element_bytes);
            break;
        case ChunkFilter::Fletcher32:
            undone = verifyFletcher32(std::move(chunk));
            appended -= kFletcherBytes;
            break;
        }
        if (!undone)
            return undone.error();
        chunk = *std::move(undone);
    }
    if (chunk.size() != layout.chunkBytes())
        return damagedPart();
    return chunk;
}

/// Copies the part of a chunk that is inside the dataset to its place, row by row.
void placeChunk(const Bytes& chunk, const ChunkLayout& layout, const Shape& origin,
                std::span<std::byte> target) {
    const std::size_t rank = layout.shape.size();
    const Shape strides = contiguousStrides(layout.shape);
    const Shape chunk_strides = contiguousStrides(layout.chunk_shape);
    Shape inside(rank); // extent of the part, then one row at a time
    for (std::size_t axis = 0; axis < rank; ++axis)
        inside[axis] = std::min(layout.chunk_shape[axis], layout.shape[axis] - origin[axis]);
    const std::size_t row_bytes = inside.back() * layout.element_bytes;
    Shape step(rank, 1);
    step.back() = inside.back();
    Shape row(rank, 0);
    do {
        std::size_t from = 0;
        std::size_t to = 0;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            from += row[axis] * chunk_strides[axis];
            to += (origin[axis] + row[axis]) * strides[axis];
        }
        std::memcpy(target.data() + to * layout.element_bytes,
                    chunk.data() + from * layout.element_bytes, row_bytes);
    } while (advance(row, step, inside));
}

} // namespace

Result<void> readChunks(const InputFile& file, const DatasetDescription& dataset,
                        const ChunkedStorage& storage, std::span<std::byte> target,
                        const std::stop_token& stop) {
    const ChunkLayout layout{dataset.shape, storage.chunk_shape, dataset.element_bytes,
                             storage.filters};
    Shape origin(layout.shape.size(), 0);
    for (const ChunkPlace& place : storage.places) {
        if (stop.stop_requested())
            return readingStopped();
        auto stored = fetchChunk(file, layout, place);
        if (!stored)
            return stored.error();
        const auto chunk = undoFilters(*std::move(stored), place.skipped_filters, layout);
        if (!chunk)
            return chunk.error();
        placeChunk(*chunk, layout, origin, target);
        advance(origin, layout.chunk_shape, layout.shape);
    }
    return {};
}

} // namespace headscope

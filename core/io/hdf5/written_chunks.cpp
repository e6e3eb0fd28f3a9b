#include "core/io/hdf5/written_chunks.h"

#include "core/io/hdf5/hdf5_chunks.h"

#include <algorithm>

namespace headscope {

namespace {

constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 20;

/// Where the numbers of a chunk are in the array: one after the other, because only the leading
/// axes are cut. The last chunk along an axis may have fewer than the others.
BytePlace runOf(const PlannedArray& array, std::size_t part) {
    Shape first(array.shape.size(), 0);
    for (std::size_t axis = first.size(); axis-- > 0;) {
        const std::size_t count = (array.shape[axis] - 1) / array.chunk_shape[axis] + 1;
        first[axis] = part % count * array.chunk_shape[axis];
        part /= count;
    }
    const Shape strides = contiguousStrides(array.shape);
    BytePlace run{0, array.element_bytes};
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
        run.offset += first[axis] * strides[axis] * array.element_bytes;
        run.bytes *= std::min(array.chunk_shape[axis], array.shape[axis] - first[axis]);
    }
    return run;
}

} // namespace

Shape chunkShape(const Shape& shape, std::size_t element_bytes) {
    if (elementCount(shape) == 0)
        return {};
    Shape chunk = shape;
    std::size_t slice_bytes = elementCount(shape) * element_bytes;
    for (std::size_t& extent : chunk) {
        slice_bytes /= extent;
        const std::size_t fitting = kMaxChunkBytes / slice_bytes;
        extent = std::clamp<std::size_t>(fitting, 1, extent);
        if (fitting > 0)
            break;
    }
    return chunk;
}

Bytes chunkBytes(const PlannedArray& array, std::span<const std::byte> values, std::size_t part) {
    const BytePlace run = runOf(array, part);
    const auto numbers = values.subspan(run.offset, run.bytes);
    Bytes chunk(numbers.begin(), numbers.end());
    chunk.resize(elementCount(array.chunk_shape) * array.element_bytes);
    const std::uint32_t sum = fletcher32(chunk);
    for (unsigned shift = 0; shift < 32; shift += 8)
        chunk.push_back(static_cast<std::byte>(sum >> shift & 0xFF));
    return chunk;
}

Result<void> ChunkPacker::append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const std::size_t missing = runOf(array_, places_.size()).bytes - chunk_.size();
        const auto next = bytes.first(std::min(missing, bytes.size()));
        chunk_.insert(chunk_.end(), next.begin(), next.end());
        bytes = bytes.subspan(next.size());
        if (next.size() == missing)
            if (auto packed = packChunk(); !packed)
                return packed;
    }
    return {};
}

Result<void> ChunkPacker::packChunk() {
    chunk_.resize(elementCount(array_.chunk_shape) * array_.element_bytes);
    const Bytes packed = deflate(shuffle(chunk_, array_.element_bytes));
    chunk_.clear();
    places_.push_back({end_, packed.size()});
    end_ += packed.size();
    return to_.append(packed);
}

} // namespace headscope

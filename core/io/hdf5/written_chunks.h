#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/sealed/file_description.h"
#include "core/io/sealed/hdf5_layout.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

/// Chunks hold whole trailing axes as far as 1 MiB allows: runs of rows. They need at least one
/// axis and one element.
Shape chunkShape(const Shape& shape, std::size_t element_bytes);

/// The chunk, filled up with zeros, and its check sum, low byte first.
Bytes chunkBytes(const PlannedArray& array, std::span<const std::byte> values, std::size_t part);

/// Cuts the numbers of an array, which come one after the other, into chunks, and packs each.
class ChunkPacker {
public:
    /// Writes the chunks to `to`, whose next byte is byte `begin`. `array` must outlive it.
    ChunkPacker(const PlannedArray& array, OutputFile& to, std::uint64_t begin)
        : array_(array), to_(to), end_(begin) {}

    Result<void> append(std::span<const std::byte> bytes);
    std::vector<BytePlace> places() && { return std::move(places_); }

private:
    Result<void> packChunk();

    const PlannedArray& array_;
    OutputFile& to_;
    std::uint64_t end_;
    Bytes chunk_; ///< as much of the next one as there is
    std::vector<BytePlace> places_;
};

} // namespace headscope

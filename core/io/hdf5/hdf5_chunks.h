#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/sealed/file_description.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>

namespace headscope {

/// Inflates a zlib stream that must give exactly `expected` bytes.
Result<Bytes> inflateExactly(std::span<const std::byte> stored, std::size_t expected);

/// Undoes HDF5's shuffle: the first bytes of all elements, then all second bytes, …
Bytes unshuffle(std::span<const std::byte> stored, std::size_t element_bytes);

/// What it undoes.
Bytes shuffle(std::span<const std::byte> plain, std::size_t element_bytes);

/// What inflateExactly() undoes, at kDeflateLevel. Throws std::bad_alloc.
Bytes deflate(std::span<const std::byte> plain);
inline constexpr int kDeflateLevel = 6; ///< zlib's own choice

/// HDF5's Fletcher-32: over 16-bit words, high byte first.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

/// Checks and takes off the four bytes that the Fletcher-32 filter appended, low byte first.
Result<Bytes> verifyFletcher32(Bytes stored);

/// Why a chunk cannot be used; a reason.
Error damagedPart();

/// Steps `index` through all multiples of `step` below `end`, last axis fastest; false after the
/// last. So go the chunks of a dataset by their first elements.
bool advance(Shape& index, const Shape& step, const Shape& end);

/// Reads all chunks and undoes their filters. `storage` is that of `dataset`, which passed
/// checkDataset(); `target` has the bytes of the whole dataset. Stops between two chunks. Error
/// messages are reasons.
Result<void> readChunks(const InputFile& file, const DatasetDescription& dataset,
                        const ChunkedStorage& storage, std::span<std::byte> target,
                        const std::stop_token& stop);

} // namespace headscope

#pragma once

#include "core/base/result.h"
#include "core/io/reader/hdf5/hdf5_library.h"
#include "core/io/sealed/file_description.h"
#include "core/tensor/tensor.h"

#include <hdf5.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// Where every chunk of a chunked dataset is, row-major over the grid of chunks. Fails when one was
/// never written. The file must be one of openHdf5(). Error messages are reasons.
Result<std::vector<ChunkPlace>> placesOfChunks(hid_t dataset, const Shape& shape,
                                               const Shape& chunk_shape);

/// A dataset that has passed every guard: its numbers are in this very file, under the filters
/// deflate, shuffle and Fletcher-32 at most, with a shape whose bytes are really stored. Error
/// messages are reasons to be put into a sentence about the file.
class Hdf5Dataset {
public:
    /// In a file of `file_bytes` bytes.
    static Result<Hdf5Dataset> open(hid_t file, haddr_t address, std::size_t file_bytes);

    const Shape& shape() const { return shape_; }
    hid_t type() const { return type_.id(); }
    hid_t id() const { return dataset_.id(); }
    std::size_t elementBytes() const { return element_bytes_; }
    std::size_t elements() const { return elementCount(shape_); }
    bool isChunked() const { return chunks_.has_value(); }

    /// Where the numbers are.
    Result<std::variant<CompactStorage, ContiguousStorage, ChunkedStorage>> storage() const;

    /// All elements in an HDF5 type of memory; of datasets without chunks only.
    Result<void> readAs(hid_t memory_type, std::span<std::byte> target) const;

private:
    Hdf5Dataset() = default;

    Result<void> checkPlace(hid_t properties);
    Result<void> checkShape();
    Result<void> checkChunks(hid_t properties);
    Result<void> checkStorage(hid_t properties, std::size_t file_bytes);

    Hdf5Handle dataset_;
    Hdf5Handle type_;
    Shape shape_;
    std::size_t element_bytes_ = 0;
    std::size_t declared_bytes_ = 0;       ///< product of shape and element size
    std::optional<ChunkedStorage> chunks_; ///< without places
    std::optional<std::size_t> offset_;    ///< in the file, of contiguous storage
};

/// Whether words of 16 bits are bfloat16, as far as attributes say so (dtype, torch_dtype,
/// original_dtype); nothing when they say nothing.
std::optional<bool> saysBFloat16(const Texts& attributes);

/// Two bytes of which HDF5 only knows that they are opaque or an integer: writers without a type
/// for bfloat16 store it like that.
bool mayBeBFloat16(const Hdf5Dataset& dataset);

/// What kind of numbers a dataset holds. 16-bit floats are known by their bit fields; where
/// mayBeBFloat16(), `is_bfloat16` decides.
StoredType storedTypeOf(const Hdf5Dataset& dataset, bool is_bfloat16);

/// Whether the first byte of a word is its highest. Opaque words have no byte order; they are taken
/// as little-endian.
bool isBigEndian(hid_t type);

/// Whether it is an integer with a sign.
bool isSigned(hid_t type);

} // namespace headscope

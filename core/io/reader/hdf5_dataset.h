#pragma once

#include "core/base/result.h"
#include "core/io/hdf5/hdf5_library.h"
#include "core/io/sealed/file_description.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <optional>
#include <span>

namespace headscope {

/// A dataset that has passed every guard: its numbers lie in this very file, under the filters
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

    /// Where the numbers lie.
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

} // namespace headscope

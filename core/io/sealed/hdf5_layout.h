#pragma once

#include "core/base/result.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

// How an HDF5 file is written: the program says what shall be in it, HDF5 in the sealed reader lays
// it out, and the program puts the numbers in their places.

/// The types that are written, all little-endian.
enum class WrittenType : std::uint8_t { Float16, BFloat16, Float32, Float64, Int32, Int64, Text };

struct PlannedArray {
    std::string path; ///< groups are made on the way
    Shape shape;
    WrittenType type = WrittenType::Float32;
    std::uint64_t element_bytes = 0; ///< of texts: of the longest, which all are padded to
    /// Each chunk gets a Fletcher-32 check sum after its numbers. Empty: all in one piece, without.
    Shape chunk_shape;
    /// The bytes of each chunk, in row-major order, where chunks are packed by shuffle and deflate,
    /// which has a check sum of its own. Empty: they are not packed.
    std::vector<std::uint64_t> packed_bytes = {};
};

/// What shall be in an HDF5 file, without the numbers.
struct Hdf5Plan {
    std::vector<PlannedArray> arrays;
    std::vector<std::pair<std::string, std::string>> texts; ///< attributes of the root
};

struct BytePlace {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// Bytes of a file that are no numbers of an array.
struct BytesAt {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
};

/// The file that HDF5 made of a plan.
struct Hdf5Layout {
    std::uint64_t bytes = 0;
    std::vector<BytesAt> rest; ///< ascending; what neither these nor the numbers tell is zero
    /// The places of each array: its one piece or its chunks in row-major order; none without
    /// elements.
    std::vector<std::vector<BytePlace>> places;
};

/// The places of an array: its one piece or its chunks; none without elements.
std::size_t placesOf(const PlannedArray& array);
/// How many bytes one of its places has.
std::uint64_t placeBytes(const PlannedArray& array, std::size_t place);

/// Fails where a layout cannot be that of the plan: as many places as there are numbers, all inside
/// the file and none over another, and a file that is hardly larger than what is in it.
Result<void> checkLayout(const Hdf5Plan& plan, const Hdf5Layout& layout);

} // namespace headscope

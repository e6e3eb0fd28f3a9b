#pragma once

#include "core/io/reader/hdf5_library.h"

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace headscope {

/// A part of an open file, such as a member of an archive.
struct FilePart {
    int descriptor = -1;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
};

/// Fills `target` from byte `offset` of the part on; returns how many bytes there were, fewer at
/// its end and where the system cannot read.
std::size_t readPart(const FilePart& part, std::uint64_t offset, std::span<std::byte> target);

/// Where HDF5 wanted to read numbers, counted from the first byte of the part.
struct RawPlace {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// Opens a part of a file that is open already as an HDF5 file, to be read only: HDF5's own drivers
/// open files by name. Invalid when HDF5 refuses it.
Hdf5Handle openHdf5(const FilePart& part);

/// While one lives the driver reads no numbers but notes where they are: for HDF5 1.10 has no quick
/// way to say where a chunk lies. Metadata is read as ever.
class RawPlaceRecorder {
public:
    RawPlaceRecorder();
    RawPlaceRecorder(const RawPlaceRecorder&) = delete;
    RawPlaceRecorder& operator=(const RawPlaceRecorder&) = delete;
    ~RawPlaceRecorder();

    /// The place noted since the last call.
    std::optional<RawPlace> take();
};

} // namespace headscope

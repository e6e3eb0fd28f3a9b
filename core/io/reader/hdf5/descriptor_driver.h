#pragma once

#include "core/io/reader/file_part.h"
#include "core/io/reader/hdf5/hdf5_library.h"

#include <hdf5.h>

#include <cstdint>
#include <optional>

namespace headscope {

/// Where HDF5 wanted to read numbers, counted from the first byte of the part.
struct RawPlace {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// Opens a part of a file that is open already as an HDF5 file, to be read only: HDF5's own drivers
/// open files by name. Invalid when HDF5 refuses it.
Hdf5Handle openHdf5(const FilePart& part);

/// While one of these exists, the driver reads no numbers but notes where they are, because HDF5
/// 1.10 has no quick way to say where a chunk is. Metadata is read as usual.
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

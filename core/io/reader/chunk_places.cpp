#include "core/io/reader/chunk_places.h"

#include "core/io/hdf5/hdf5_chunks.h"
#include "core/io/reader/descriptor_driver.h"

namespace headscope {

Result<std::vector<ChunkPlace>> placesOfChunks(hid_t dataset, const Shape& shape,
                                               const Shape& chunk_shape) {
    RawPlaceRecorder recorder;
    std::vector<ChunkPlace> places;
    Shape origin(shape.size(), 0);
    do {
        const std::vector<hsize_t> offset(origin.begin(), origin.end());
        ChunkPlace place;
        std::byte nothing{}; // the recorder keeps HDF5 from writing there
        const bool found = H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(),
                                         &place.skipped_filters, &nothing) >= 0;
        const auto noted = recorder.take();
        if (!found || !noted)
            return damagedPart();
        place.offset = noted->offset;
        place.bytes = noted->bytes;
        places.push_back(place);
    } while (advance(origin, chunk_shape, shape));
    return places;
}

} // namespace headscope

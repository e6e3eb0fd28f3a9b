#pragma once

#include "core/base/result.h"
#include "core/io/sealed/file_description.h"
#include "core/tensor/tensor.h"

#include <hdf5.h>

#include <vector>

namespace headscope {

/// Where every chunk of a chunked dataset lies, row-major over the grid of chunks. Fails when one
/// was never written. The file must be one of openHdf5(). Error messages are reasons.
Result<std::vector<ChunkPlace>> placesOfChunks(hid_t dataset, const Shape& shape,
                                               const Shape& chunk_shape);

} // namespace headscope

#pragma once

#include "core/io/reader/file_part.h"
#include "core/io/sealed/file_description.h"

namespace headscope {

/// Has HDF5 lay out the file whose plan (wire.h) is in `plan`. Nothing in it depends on the time.
/// Throws std::bad_alloc.
ReaderAnswer layOutHdf5(const FilePart& plan);

} // namespace headscope

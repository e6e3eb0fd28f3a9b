#pragma once

#include "core/io/reader/descriptor_driver.h"
#include "core/io/sealed/file_description.h"

namespace headscope {

/// Looks at every object of an HDF5 file and refuses the whole file when a single one fails a
/// guard. Here HDF5 reads whatever the file says: only a process that may come to harm calls this.
ReaderAnswer describeHdf5(const FilePart& file);

} // namespace headscope

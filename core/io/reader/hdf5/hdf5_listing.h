#pragma once

#include "core/base/result.h"
#include "core/io/reader/file_part.h"
#include "core/io/sealed/file_description.h"

#include <hdf5.h>

#include <string>
#include <vector>

namespace headscope {

/// A dataset of a file: its path without the leading '/', and its place in the file.
struct Hdf5Leaf {
    std::string path;
    haddr_t address = HADDR_UNDEF;
    haddr_t group = HADDR_UNDEF; ///< that holds it
};

/// Every dataset that the root reaches through hard links alone. Objects are opened by address, so
/// that no name is ever looked up in the file and no link of another kind is followed; such links,
/// groups reached twice and trees of absurd size are errors. Error messages are reasons to be put
/// into a sentence about the file.
Result<std::vector<Hdf5Leaf>> datasetsOf(hid_t file);

/// Looks at every object of an HDF5 file and refuses the whole file when a single one fails a
/// guard. Here HDF5 reads whatever the file says: only a process that may come to harm calls this.
/// Throws std::bad_alloc, also for memory that HDF5 asks for in vain.
ReaderAnswer describeHdf5(const FilePart& file);

} // namespace headscope

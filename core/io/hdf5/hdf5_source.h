#pragma once

#include "core/io/files/open_file.h"
#include "core/io/sealed/file_description.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>

namespace headscope {

/// An HDF5 file, and where it is.
struct Hdf5Input {
    InputFile bytes;
    /// The archive that the bytes are a part of, where they are.
    std::optional<InputFile> archive;
    /// Texts that came with the file; they go before its own.
    Texts texts;
};

/// Opens an HDF5 file. A process of its own looks at every object in it and refuses the whole file
/// when a single one fails a guard; its answer is checked here, and the numbers are read without
/// any library. A dataset /a/b/c and one named "a.b.c" are both tensor a.b.c.
Result<std::unique_ptr<TensorSource>> openHdf5Source(Hdf5Input input, std::size_t byte_budget,
                                                     const std::stop_token& stop);

} // namespace headscope

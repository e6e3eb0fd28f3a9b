#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

namespace headscope {

/// What the first bytes of a file say it is; the extension is not asked.
enum class FileKind {
    Empty,
    Hdf5,
    Safetensors,
    Zip,    ///< torch.save, .keras, .npz
    Pickle, ///< torch.save before version 1.6
    Gguf,
    LfsPointer, ///< the small text that Git LFS leaves in place of a file
    WebPage,
    Text,
    Unknown,
};

/// HDF5 may begin with a user block: its signature is looked for at bytes 0, 512, 1024, 2048, … as
/// the format specification has it. A file whose first bytes are those of another binary format is
/// that other format, whatever is at byte 512.
Result<FileKind> fileKindOf(const InputFile& file);

/// Why a file that torch.save wrote is never opened, and the way out.
std::string pickleRefusal(const std::filesystem::path& path);

/// Opens one file by what its first bytes say it is. Files of other kinds are refused with the way
/// to a file that can be opened.
Result<std::unique_ptr<TensorSource>> openWeightFile(const std::filesystem::path& path,
                                                     std::size_t byte_budget,
                                                     const std::stop_token& stop);

} // namespace headscope

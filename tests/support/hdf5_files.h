#pragma once

#include "core/tensor/tensor.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::test {

/// How the numbers of a test tensor lie in the file.
enum class Storage {
    Float32,
    Float32BigEndian,
    Float64,
    Float64BigEndian,
    Float16,          ///< the type that h5py writes for numpy.float16
    BFloat16,         ///< an HDF5 float type with the fields of bfloat16
    BFloat16Opaque,   ///< opaque words and the attribute dtype="bfloat16", as Keras writes them
    BFloat16InUInt16, ///< uint16 words and the attribute dtype="bfloat16"
    Int32,
    Int64,
    UInt16,
};

struct FileTensor {
    std::string name; ///< parts separated by '.'
    Shape shape;
    std::vector<float> values;
    Storage storage = Storage::Float32;
};

/// A text attribute of the root.
struct FileAttribute {
    std::string name;
    std::string text;
    bool variable_length = true;
};

/// Whether "a.b.c" becomes the dataset /a/b/c or one dataset named "a.b.c".
enum class Naming { Groups, FlatDots };

/// Writes a well-formed weight file, without any code of the product. Throws std::runtime_error
/// when HDF5 refuses, which ends the test.
void writeModelFile(const std::filesystem::path& path, const std::vector<FileTensor>& tensors,
                    const std::vector<FileAttribute>& attributes = {},
                    Naming naming = Naming::Groups);

} // namespace headscope::test

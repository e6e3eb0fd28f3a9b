#include "core/io/tensor_source.h"

#include "core/io/file_error.h"
#include "core/io/file_kind.h"
#include "core/io/hdf5_source.h"
#include "core/io/input_file.h"

#include <unistd.h>

#include <algorithm>

namespace headscope {

namespace {

constexpr std::string_view kSaveAsHdf5 =
    "load it in Python and save its tensors as HDF5, with h5py: f[name.replace('.', '/')] = "
    "tensor.numpy()";

/// Why a file of this kind is not opened, and the way out.
std::string refusal(FileKind kind) {
    const std::string way_out(kSaveAsHdf5);
    switch (kind) {
    case FileKind::Empty:
        return "it is empty (0 bytes); download or copy it again";
    case FileKind::Safetensors:
        return "it is a safetensors file, which this version cannot read yet; " + way_out;
    case FileKind::Zip:
        return "it is a zip archive (PyTorch .pt or .bin, Keras .keras, NumPy .npz) and not an "
               "HDF5 file; " +
               way_out;
    case FileKind::Pickle:
        return "it is a Python pickle (PyTorch .pt or .bin), which can run code when it is "
               "opened and is never read; " +
               way_out;
    case FileKind::Gguf:
        return "it is a GGUF file, whose quantised weights cannot be read; take the original "
               "model, " +
               way_out;
    case FileKind::LfsPointer:
        return "it is a Git LFS pointer in place of the file itself; run 'git lfs pull'";
    case FileKind::WebPage:
        return "it is a web page, perhaps of a failed download; download the weight file again";
    case FileKind::Text:
        return "it is a text file and not an HDF5 file; choose the weight file of the model";
    case FileKind::Hdf5:
    case FileKind::Unknown:
        break;
    }
    return "it is not an HDF5 file, nor any other weight file known by its first bytes; choose an "
           "HDF5 file, or download it again";
}

} // namespace

std::string_view storedTypeName(StoredType type) {
    switch (type) {
    case StoredType::Float64:
        return "float64";
    case StoredType::Float32:
        return "float32";
    case StoredType::Float16:
        return "float16";
    case StoredType::BFloat16:
        return "bfloat16";
    case StoredType::Integer:
        return "integer";
    case StoredType::Other:
        break;
    }
    return "other";
}

const TensorInfo* TensorSource::find(std::string_view name) const {
    const std::span<const TensorInfo> all = tensors();
    const auto place = std::lower_bound(
        all.begin(), all.end(), name,
        [](const TensorInfo& info, std::string_view wanted) { return info.name < wanted; });
    return place != all.end() && place->name == name ? &*place : nullptr;
}

std::size_t defaultTensorBudget() {
    return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
}

Result<std::unique_ptr<TensorSource>> openTensorSource(const std::filesystem::path& path,
                                                       std::size_t byte_budget) {
    const auto file = InputFile::open(path);
    if (!file)
        return file.error();
    const auto kind = fileKindOf(*file);
    if (!kind)
        return kind.error();
    if (*kind == FileKind::Hdf5)
        return openHdf5Source(*file, byte_budget);
    const bool other_format = *kind == FileKind::Safetensors || *kind == FileKind::Zip ||
                              *kind == FileKind::Pickle || *kind == FileKind::Gguf;
    return cannotOpen(other_format ? ErrorCode::Unsupported : ErrorCode::Malformed, path,
                      refusal(*kind));
}

} // namespace headscope

#pragma once

#include <filesystem>
#include <optional>

namespace headscope {

/// What a model is written as.
enum class ModelForm {
    Hdf5,        ///< Headscope's own file
    HuggingFace, ///< a folder for transformers
    Gguf
};

/// By the name: .h5 and .hdf5, .gguf, or a folder, whose name has no extension; nothing for others.
std::optional<ModelForm> modelFormOf(const std::filesystem::path& path);

} // namespace headscope

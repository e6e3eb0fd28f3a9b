#include "core/export/model_form.h"

#include <string>

namespace headscope {

std::optional<ModelForm> modelFormOf(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    if (extension == ".h5" || extension == ".hdf5")
        return ModelForm::Hdf5;
    if (extension == ".gguf")
        return ModelForm::Gguf;
    return extension.empty() ? std::optional(ModelForm::HuggingFace) : std::nullopt;
}

} // namespace headscope

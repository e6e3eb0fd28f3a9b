#include "core/export/convert_by_name.h"

#include "core/base/names.h"
#include "core/export/conversions/convert_to_folder.h"
#include "core/export/conversions/convert_to_gguf.h"
#include "core/export/model_form.h"

namespace headscope {

namespace {

FloatFormat floatFormat(GgufFormat format) {
    if (format == GgufFormat::Float16)
        return FloatFormat::Float16;
    return format == GgufFormat::BFloat16 ? FloatFormat::BFloat16 : FloatFormat::Float32;
}

constexpr Names<GgufFormat, 4> kFormats{{{GgufFormat::Float32, "f32"},
                                         {GgufFormat::Float16, "f16"},
                                         {GgufFormat::BFloat16, "bf16"},
                                         {GgufFormat::Q8, "q8_0"}}};

} // namespace

std::optional<GgufFormat> ggufFormatNamed(std::string_view name) {
    return valueNamed(kFormats, name);
}

Result<ConvertedModel> convertByName(const std::filesystem::path& input,
                                     const std::filesystem::path& output, GgufFormat format,
                                     const LoadOptions& options, const Progress& progress,
                                     const std::stop_token& stop) {
    const auto form = modelFormOf(output);
    if (!form)
        return Error{ErrorCode::InvalidArgument,
                     "The extension of " + output.string() +
                         " is that of neither an HDF5 nor a GGUF file; use .h5 or .gguf, or none "
                         "for a folder."};
    if (format == GgufFormat::Q8 && form != ModelForm::Gguf)
        return Error{ErrorCode::InvalidArgument,
                     "q8_0 is a format of GGUF; write to a .gguf file, not to " + output.string() +
                         "."};
    switch (*form) {
    case ModelForm::Gguf:
        return convertToGguf(input, output, format, options, progress, stop);
    case ModelForm::HuggingFace:
        return convertToFolder(input, output, floatFormat(format), options, progress, stop);
    case ModelForm::Hdf5:
        break;
    }
    return convertModel(input, output, floatFormat(format), options, progress, stop);
}

} // namespace headscope

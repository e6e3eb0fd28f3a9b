#include "core/export/convert_model.h"

#include "core/base/names.h"
#include "core/export/conversions/other_forms.h"
#include "core/export/formats/model_file.h"
#include "core/export/formats/weight_stream.h"
#include "core/io/sealed_reading.h"
#include "core/loading/dialect.h"
#include "core/loading/load_model.h"
#include "core/loading/model_texts.h"

#include <string>
#include <utility>

namespace headscope {

std::optional<ModelForm> modelFormOf(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    if (extension == ".h5" || extension == ".hdf5")
        return ModelForm::Hdf5;
    if (extension == ".gguf")
        return ModelForm::Gguf;
    return extension.empty() ? std::optional(ModelForm::HuggingFace) : std::nullopt;
}

namespace fs = std::filesystem;

Result<ConvertedModel> convertModel(const fs::path& input, const fs::path& output,
                                    FloatFormat format, const LoadOptions& options,
                                    const Progress& progress, const std::stop_token& stop) {
    report(progress, 0.0, "opening " + input.filename().string());
    const SealedReading reading(stop);
    auto opened = openTranslated(input, stop);
    if (!opened)
        return opened.error();
    const auto used = usedTensors(std::move(opened->file), options.transpose_heads);
    if (!used)
        return used.error();
    const TensorSource& file = **used;
    if (auto good = checkNotRead(file, output, "that is converted"); !good)
        return good.error();
    const auto config = findConfig(file);
    if (!config)
        return config.error();
    if (!*config)
        return Error{ErrorCode::NotFound,
                     file.path().filename().string() +
                         " has no attribute 'config' and there is no config.json beside it; put "
                         "the model's config.json there."};
    const bool flipped = options.flip_square_matrices != (file.text(kSquareMatrices) == kFlipped);
    const bool transposed = options.transpose_heads || file.text(kHeadMatrices) == kTransposed;
    ConvertedModel converted;
    converted.config_source = (*config)->source;
    TokenizerInside tokenizer = tokenizerInside(file);
    converted.tokenizer_source = std::move(tokenizer.source);
    converted.note = std::move(tokenizer.note);
    ModelFileTexts texts{.config = (*config)->content,
                         .tokenizer = std::move(tokenizer.json),
                         .tokenizer_config = std::move(tokenizer.config),
                         .description = file.text("description").value_or(""),
                         .square_matrices = flipped ? kFlipped : "",
                         .head_matrices = transposed ? kTransposed : ""};
    auto written =
        writeModelFile(output, file, texts, format, packedShare(file) < 1.0, progress, stop);
    if (!written)
        return written.error();
    converted.written = *std::move(written);
    return converted;
}

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

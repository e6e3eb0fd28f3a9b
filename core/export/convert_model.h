#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/export/formats/model_file.h"
#include "core/io/gguf_writer.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace headscope {

/// What a model is written as.
enum class ModelForm {
    Hdf5,        ///< Headscope's own file
    HuggingFace, ///< a folder for transformers
    Gguf
};

/// By the name: .h5 and .hdf5, .gguf, or a folder, whose name has no extension; nothing for others.
std::optional<ModelForm> modelFormOf(const std::filesystem::path& path);

struct ConvertedModel {
    WrittenModel written;
    std::string config_source;
    std::string tokenizer_source; ///< empty: no tokenizer is inside, for the reason in the note
    std::string note;             ///< sentences on the tokenizer and on what others compute
};

/// Opens whatever can be opened and writes it as a native HDF5 file with config and tokenizer
/// inside; loading that gives the model that loading `input` with these options gives. Of a file
/// whose names were translated only what the network uses is written. Fails when there is no
/// config, or when `output` is one of the files that are read.
Result<ConvertedModel> convertModel(const std::filesystem::path& input,
                                    const std::filesystem::path& output, FloatFormat format,
                                    const LoadOptions& options = {}, const Progress& progress = {},
                                    const std::stop_token& stop = {});

/// "f32", "f16", "bf16", "q8_0"; nothing for others.
std::optional<GgufFormat> ggufFormatNamed(std::string_view name);

/// Writes a model in the form that the name of `output` says: convertModel(), convertToGguf() or
/// convertToFolder(). Fails as they do, for a name of no form, and for q8_0 outside GGUF.
Result<ConvertedModel> convertByName(const std::filesystem::path& input,
                                     const std::filesystem::path& output, GgufFormat format,
                                     const LoadOptions& options = {}, const Progress& progress = {},
                                     const std::stop_token& stop = {});

} // namespace headscope

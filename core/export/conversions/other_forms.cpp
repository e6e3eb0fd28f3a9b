#include "core/export/conversions/other_forms.h"

#include "core/export/formats/gguf_file.h"
#include "core/export/formats/hugging_face_folder.h"
#include "core/export/formats/model_file.h"
#include "core/io/atomic_file.h"
#include "core/loading/gguf_twin.h"
#include "core/loading/model_source.h"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// Networks of teaching, of Keras and of TransformerLens: no class of transformers reads their
/// config.
constexpr std::array<std::string_view, 5> kNotInTransformers{
    "hooked_transformer", "microgpt", "attention", "keras_transformer", "keras_attention"};

Result<HuggingFaceConfig> configFor(const Model& model, const std::string& config) {
    if (std::ranges::find(kNotInTransformers, model.spec.family) != kNotInTransformers.end())
        return Error{ErrorCode::Unsupported,
                     model.name +
                         " cannot be written as a folder for transformers, which has no "
                         "family '" +
                         model.spec.family + "'; write HDF5."};
    if (const auto& absent = model.spec.absent.attention; !absent.empty())
        return Error{ErrorCode::Unsupported,
                     model.name +
                         " cannot be written as a folder for transformers, because the "
                         "attention of " +
                         layersText(absent) + " is not in its file; write HDF5."};
    if (!model.spec.kept_heads.empty() || model.spec.mlp == MlpKind::None)
        return huggingFaceConfig(config, model);
    return HuggingFaceConfig{config, {}};
}

/// A model under the names of its family.
Result<ConvertedModel> writeFolder(const std::shared_ptr<const Model>& model, Origin origin,
                                   const fs::path& folder, FloatFormat format,
                                   const Progress& progress, const std::stop_token& stop) {
    const auto config = configFor(*model, origin.texts.config);
    if (!config)
        return config.error();
    const auto weights = modelSource(model, config->text, origin.file);
    if (!weights)
        return weights.error();
    ConvertedModel converted;
    converted.written.tensors = (*weights)->tensors().size();
    converted.config_source = std::move(origin.config_source);
    converted.tokenizer_source = std::move(origin.tokenizer_source);
    converted.note = std::move(origin.tokenizer_note);
    const auto opens = [&](const fs::path& written) -> Result<void> {
        const auto loaded = loadModel(written, {}, {}, stop);
        return loaded ? Result<void>() : loaded.error();
    };
    if (auto written = writeHuggingFaceFolder(folder, **weights, format, *config, origin.texts,
                                              progress, stop, opens);
        !written)
        return written.error();
    return converted;
}

} // namespace

Result<ConvertedModel> convertToFolder(const fs::path& input, const fs::path& folder,
                                       FloatFormat format, const LoadOptions& options,
                                       const Progress& progress, const std::stop_token& stop) {
    if (auto is_new = checkNewFolder(folder); !is_new)
        return is_new.error();
    const auto model = loadModel(input, options, partOf(progress, 0.0, 0.4), stop);
    if (!model)
        return model.error();
    auto origin = openOrigin(input, stop);
    if (!origin)
        return origin.error();
    return writeFolder(*model, *std::move(origin), folder, format, partOf(progress, 0.4, 1.0),
                       stop);
}

namespace {

Result<ConvertedModel> convertWhole(const fs::path& input, const fs::path& output,
                                    GgufFormat format, const LoadOptions& options,
                                    const Progress& progress, const std::stop_token& stop) {
    report(progress, 0.0, "opening " + input.filename().string());
    auto origin = openOrigin(input, stop);
    if (!origin)
        return origin.error();
    if (auto is_new = checkNotRead(*origin->file, output, "that is converted"); !is_new)
        return is_new.error();
    const auto model = loadModel(input, options, progress, stop);
    if (!model)
        return model.error();
    const std::string& config = origin->texts.config;
    const auto twin = ggufTwin(*model, config, origin->file);
    if (!twin)
        return twin.error();
    const auto written = writeGgufFile(
        output, *twin, format, {origin->texts.tokenizer, bosOf(**model), origin->tokenizer_note},
        progress, stop, [&](const fs::path& path) {
            return checkGgufTwin(path, (*model)->spec, config, *origin->file);
        });
    if (!written)
        return written.error();
    report(progress, 1.0, "written");
    ConvertedModel converted;
    converted.written.tensors = written->tensors;
    converted.config_source = std::move(origin->config_source);
    converted.tokenizer_source = std::move(origin->tokenizer_source);
    converted.note = written->note;
    return converted;
}

} // namespace

Result<ConvertedModel> convertToGguf(const fs::path& input, const fs::path& output,
                                     GgufFormat format, const LoadOptions& options,
                                     const Progress& progress, const std::stop_token& stop) {
    try {
        return convertWhole(input, output, format, options, progress, stop);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::TooLarge, "There is not enough memory to convert " +
                                              input.filename().string() +
                                              "; close other programs."};
    }
}

} // namespace headscope

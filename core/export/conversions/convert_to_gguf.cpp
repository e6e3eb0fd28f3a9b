#include "core/export/conversions/convert_to_gguf.h"

#include "core/export/formats/gguf_file.h"
#include "core/export/formats/origin.h"
#include "core/loading/gguf_twin.h"

#include <new>
#include <string>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

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
        output, *twin, format, {origin->texts.tokenizer, bosOf(**model)}, progress, stop,
        [&](const fs::path& path) { return checkGgufTwin(path, config, *origin->file); });
    if (!written)
        return written.error();
    report(progress, 1.0, "written");
    ConvertedModel converted;
    converted.written.tensors = written->tensors;
    converted.config_source = std::move(origin->config_source);
    converted.tokenizer_source = std::move(origin->tokenizer_source);
    converted.tokenizer_note =
        written->tokenizer_note.empty() ? origin->tokenizer_note : written->tokenizer_note;
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

#include "core/export/convert_model.h"

#include "core/export/formats/origin.h"
#include "core/loading/dialect.h"
#include "core/loading/load_model.h"
#include "core/loading/model_texts.h"

#include <utility>

namespace headscope {

namespace fs = std::filesystem;

Result<ConvertedModel> convertModel(const fs::path& input, const fs::path& output,
                                    FloatFormat format, const LoadOptions& options,
                                    const Progress& progress, const std::stop_token& stop) {
    report(progress, 0.0, "opening " + input.filename().string());
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
    converted.tokenizer_note = std::move(tokenizer.note);
    ModelFileTexts texts{.config = (*config)->content,
                         .tokenizer = std::move(tokenizer.json),
                         .tokenizer_config = std::move(tokenizer.config),
                         .description = file.text("description").value_or(""),
                         .square_matrices = flipped ? kFlipped : "",
                         .head_matrices = transposed ? kTransposed : ""};
    auto written = writeModelFile(output, file, texts, format, progress, stop);
    if (!written)
        return written.error();
    converted.written = *std::move(written);
    return converted;
}

} // namespace headscope

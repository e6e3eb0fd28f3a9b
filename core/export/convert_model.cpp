#include "core/export/convert_model.h"

#include "core/base/text.h"
#include "core/loading/dialect.h"
#include "core/loading/load_model.h"
#include "core/loading/model_texts.h"
#include "core/loading/tokenizer_files.h"
#include "core/loading/used_tensors.h"

#include <algorithm>
#include <system_error>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// As much as the reader of such files takes.
constexpr std::size_t kLargestInside = std::size_t{64} << 20;

Result<void> checkOutput(const TensorSource& file, const fs::path& output) {
    const auto files = file.files();
    const bool own = std::ranges::any_of(files, [&](const fs::path& path) {
        std::error_code ignored;
        return fs::equivalent(path, output, ignored);
    });
    if (own)
        return Error{ErrorCode::InvalidArgument, "Cannot write '" + output.string() +
                                                     "': it is the model that is converted; give "
                                                     "the new file another name."};
    return {};
}

void takeTokenizer(const TensorSource& file, ModelFileTexts& texts, ConvertedModel& converted) {
    const auto found = findTokenizer(file);
    if (!found)
        converted.tokenizer_note =
            "The tokenizer is not inside, because it cannot be used: " + found.error().message;
    else if (!*found)
        converted.tokenizer_note = "There is no tokenizer; prompts will be token ids.";
    else if ((*found)->json.empty() || (*found)->json.size() > kLargestInside)
        converted.tokenizer_note = "The tokenizer is not inside, because only a tokenizer.json of "
                                   "up to " +
                                   byteText(kLargestInside) + " can be: keep " + (*found)->source +
                                   ".";
    else {
        texts.tokenizer = (*found)->json;
        converted.tokenizer_source = (*found)->source;
    }
}

} // namespace

Result<ConvertedModel> convertModel(const fs::path& input, const fs::path& output,
                                    FloatFormat format, const LoadOptions& options,
                                    const Progress& progress, const std::stop_token& stop) {
    report(progress, 0.0, "opening " + input.filename().string());
    auto opened = openTensorSource(input, defaultTensorBudget(), stop);
    if (!opened)
        return opened.error();
    auto translated = translate(*std::move(opened));
    if (!translated)
        return translated.error();
    const auto used = usedTensors(std::move(translated->file));
    if (!used)
        return used.error();
    const TensorSource& file = **used;
    if (auto good = checkOutput(file, output); !good)
        return good.error();
    const auto config = findModelText(file, "config", kLargestConfig);
    if (!config)
        return config.error();
    if (!*config)
        return Error{ErrorCode::NotFound,
                     file.path().filename().string() +
                         " has no attribute 'config' and there is no config.json beside it; put "
                         "the model's config.json there."};
    const bool flipped = options.flip_square_matrices != (file.text(kSquareMatrices) == kFlipped);
    ConvertedModel converted;
    converted.config_source = (*config)->source;
    ModelFileTexts texts{.config = (*config)->content,
                         .tokenizer = {},
                         .description = file.text("description").value_or(""),
                         .square_matrices = flipped ? kFlipped : ""};
    takeTokenizer(file, texts, converted);
    auto written = writeModelFile(output, file, texts, format, progress, stop);
    if (!written)
        return written.error();
    converted.written = *std::move(written);
    return converted;
}

} // namespace headscope

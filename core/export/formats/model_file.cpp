#include "core/export/formats/model_file.h"

#include "core/base/text.h"
#include "core/export/formats/weight_stream.h"
#include "core/io/hdf5_writer.h"
#include "core/io/sealed_reading.h"
#include "core/loading/dialect.h"
#include "core/loading/load_model.h"
#include "core/loading/model_texts.h"
#include "core/loading/tokenizer_files.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

/// "h.0.w" → "h/0/w"
std::string pathOf(std::string name) {
    std::ranges::replace(name, '.', '/');
    return name;
}

std::vector<Hdf5Attribute> attributesOf(const TensorSource& weights, const ModelFileTexts& texts) {
    std::vector<Hdf5Attribute> all{{"format", "headscope"},
                                   {"format_version", "1"},
                                   {"converted_from", weights.path().filename().string()}};
    const auto add = [&](const char* name, const std::string& text) {
        if (!text.empty())
            all.push_back({name, text});
    };
    add("config", texts.config);
    add("tokenizer", texts.tokenizer);
    add("tokenizer_config", texts.tokenizer_config);
    add("description", texts.description);
    add(kSquareMatrices, texts.square_matrices);
    add(kHeadMatrices, texts.head_matrices);
    return all;
}

Result<WrittenModel> writeStream(const std::filesystem::path& path, WeightStream& weights,
                                 bool packed, const std::vector<Hdf5Attribute>& attributes,
                                 const InspectFile& inspect) {
    std::vector<StreamedArray> arrays = weights.arrays();
    for (StreamedArray& array : arrays) {
        array.name = pathOf(std::move(array.name));
        array.packed = packed;
    }
    const auto produce = [&weights](std::size_t array, const AppendBytes& append) {
        return weights.produce(array, append);
    };
    if (auto written = writeHdf5Streamed(path, arrays, attributes, produce, inspect); !written)
        return written.error();
    return WrittenModel{arrays.size(), weights.leftOut()};
}

} // namespace

Result<WrittenModel> writeModelFile(const std::filesystem::path& path, const TensorSource& weights,
                                    const ModelFileTexts& texts, std::optional<FloatFormat> format,
                                    bool packed, const Progress& progress,
                                    const std::stop_token& stop, const InspectFile& inspect) {
    try {
        WeightStream stream(weights, format, progress, stop);
        if (stream.arrays().empty())
            return Error{ErrorCode::NotFound, weights.path().filename().string() +
                                                  " holds no floating-point numbers to convert; "
                                                  "choose the weight file of a model."};
        auto written = writeStream(path, stream, packed, attributesOf(weights, texts), inspect);
        if (written)
            report(progress, 1.0, "written");
        return written;
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::TooLarge, "There is not enough memory to convert " +
                                              weights.path().filename().string() +
                                              "; close other programs."};
    }
}

TokenizerInside tokenizerInside(const TensorSource& file) {
    // As much as the reader of such files takes.
    constexpr std::size_t kLargestInside = std::size_t{64} << 20;
    TokenizerInside inside;
    auto found = findTokenizer(file);
    if (!found)
        inside.note =
            "The tokenizer is not inside, because it cannot be used: " + found.error().message;
    else if (!*found)
        inside.note = "There is no tokenizer; prompts will be token ids.";
    else if ((*found)->json.empty() || (*found)->json.size() > kLargestInside)
        inside.note = "The tokenizer is not inside, because only a tokenizer.json of up to " +
                      byteText(kLargestInside) + " can be: keep " + (*found)->source + ".";
    else {
        inside.json = std::move((*found)->json);
        inside.config = tokenizerConfig(file);
        inside.source = std::move((*found)->source);
    }
    return inside;
}

Result<Origin> openOrigin(const std::filesystem::path& path, const std::stop_token& stop) {
    const SealedReading reading(stop);
    auto opened = openTranslated(path, stop);
    if (!opened)
        return opened.error();
    Origin origin;
    origin.file = std::move(opened->file);
    auto config = findConfig(*origin.file);
    if (!config)
        return config.error();
    if (*config) {
        origin.texts.config = std::move((*config)->content);
        origin.config_source = std::move((*config)->source);
    }
    origin.texts.description = origin.file->text("description").value_or("");
    TokenizerInside tokenizer = tokenizerInside(*origin.file);
    origin.texts.tokenizer = std::move(tokenizer.json);
    origin.texts.tokenizer_config = std::move(tokenizer.config);
    origin.tokenizer_source = std::move(tokenizer.source);
    origin.tokenizer_note = std::move(tokenizer.note);
    return origin;
}

Result<void> checkNotRead(const TensorSource& file, const std::filesystem::path& output,
                          std::string_view model) {
    const auto files = file.files();
    const bool own = std::ranges::any_of(files, [&](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::equivalent(path, output, ignored);
    });
    if (own)
        return Error{ErrorCode::InvalidArgument, "Cannot write '" + output.string() +
                                                     "': it is the model " + std::string(model) +
                                                     "; give the new file another name."};
    return {};
}

} // namespace headscope

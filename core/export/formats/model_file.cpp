#include "core/export/formats/model_file.h"

#include "core/export/formats/weight_stream.h"
#include "core/io/hdf5_writer.h"
#include "core/loading/load_model.h"

#include <algorithm>
#include <new>
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
                                 const std::vector<Hdf5Attribute>& attributes,
                                 const InspectFile& inspect) {
    std::vector<StreamedArray> arrays = weights.arrays();
    for (StreamedArray& array : arrays)
        array.name = pathOf(std::move(array.name));
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
                                    const Progress& progress, const std::stop_token& stop,
                                    const InspectFile& inspect) {
    try {
        WeightStream stream(weights, format, progress, stop);
        if (stream.arrays().empty())
            return Error{ErrorCode::NotFound, weights.path().filename().string() +
                                                  " holds no floating-point numbers to convert; "
                                                  "choose the weight file of a model."};
        auto written = writeStream(path, stream, attributesOf(weights, texts), inspect);
        if (written)
            report(progress, 1.0, "written");
        return written;
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::TooLarge, "There is not enough memory to convert " +
                                              weights.path().filename().string() +
                                              "; close other programs."};
    }
}

} // namespace headscope

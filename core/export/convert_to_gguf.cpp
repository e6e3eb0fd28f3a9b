#include "core/export/convert_to_gguf.h"

#include "core/base/text.h"
#include "core/export/formats/gguf_tokens.h"
#include "core/export/formats/origin.h"
#include "core/io/slabs.h"
#include "core/loading/dialect.h"
#include "core/loading/gguf_twin.h"
#include "core/loading/model_texts.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// GGML_QUANT_VERSION and llama_ftype, which readers ask for.
constexpr std::uint32_t kQuantisationVersion = 2;
std::uint32_t fileType(GgufFormat format) {
    switch (format) {
    case GgufFormat::Float32:
        return 0;
    case GgufFormat::Float16:
        return 1;
    case GgufFormat::Q8:
        return 7;
    case GgufFormat::BFloat16:
        break;
    }
    return 32;
}

/// As llama.cpp's conversion chooses.
GgufFormat formatOf(const TensorInfo& tensor, GgufFormat wanted) {
    const bool stays_full = tensor.shape.size() < 2 || tensor.name == "position_embd.weight";
    if (stays_full)
        return GgufFormat::Float32;
    const bool has_blocks = tensor.shape.back() % 32 == 0;
    return wanted == GgufFormat::Q8 && !has_blocks ? GgufFormat::Float16 : wanted;
}

/// One conversion in its steps.
class GgufConversion {
public:
    GgufConversion(const fs::path& output, GgufFormat format, const Progress& progress,
                   const std::stop_token& stop)
        : output_(output), format_(format), progress_(progress), stop_(stop) {}

    Result<ConvertedModel> run(const fs::path& input, const LoadOptions& options);

private:
    Result<void> open(const fs::path& input);
    Result<void> describe(const fs::path& input, const LoadOptions& options);
    Result<void> write();
    Result<void> produce(std::size_t index, const AppendNumbers& append);

    const fs::path& output_;
    GgufFormat format_;
    const Progress& progress_;
    const std::stop_token& stop_;
    std::shared_ptr<const TensorSource> file_;
    GgufTwin twin_;
    ConvertedModel converted_;
};

Result<ConvertedModel> GgufConversion::run(const fs::path& input, const LoadOptions& options) {
    report(progress_, 0.0, "opening " + input.filename().string());
    if (auto opened = open(input); !opened)
        return opened.error();
    if (auto described = describe(input, options); !described)
        return described.error();
    if (auto written = write(); !written)
        return written.error();
    report(progress_, 1.0, "written");
    return std::move(converted_);
}

Result<void> GgufConversion::open(const fs::path& input) {
    auto opened = openTranslated(input, stop_);
    if (!opened)
        return opened.error();
    file_ = std::move(opened->file);
    return checkNotRead(*file_, output_, "that is converted");
}

Result<void> GgufConversion::describe(const fs::path& input, const LoadOptions& options) {
    const auto model = loadModel(input, options, progress_, stop_);
    if (!model)
        return model.error();
    const auto config = findConfig(*file_);
    if (!config)
        return config.error();
    converted_.config_source = (*config)->source;
    auto twin = ggufTwin(*model, (*config)->content, file_);
    if (!twin)
        return twin.error();
    twin_ = *std::move(twin);
    TokenizerInside tokenizer = tokenizerInside(*file_);
    converted_.tokenizer_source = std::move(tokenizer.source);
    converted_.tokenizer_note = std::move(tokenizer.note);
    twin_.metadata.push_back({"general.quantization_version", kQuantisationVersion});
    twin_.metadata.push_back({"general.file_type", fileType(format_)});
    if (tokenizer.json.empty())
        return {};
    if (!addGgufTokens(tokenizer.json, twin_.metadata))
        converted_.tokenizer_note =
            "The tokenizer is inside for Headscope alone: llama.cpp has no exact form of its kind.";
    return {};
}

Result<void> GgufConversion::write() {
    std::vector<GgufStreamedTensor> tensors;
    for (const TensorInfo& tensor : twin_.tensors->tensors())
        tensors.push_back({tensor.name, tensor.shape, formatOf(tensor, format_)});
    converted_.written.tensors = tensors.size();
    return writeGguf(
        output_, twin_.metadata, tensors,
        [this](std::size_t index, const AppendNumbers& append) { return produce(index, append); },
        [this](const fs::path& written) { return checkGgufTwin(written, *file_); });
}

Result<void> GgufConversion::produce(std::size_t index, const AppendNumbers& append) {
    const TensorInfo& tensor = twin_.tensors->tensors()[index];
    report(progress_, static_cast<double>(index) / static_cast<double>(converted_.written.tensors),
           "writing " + tensor.name);
    std::vector<float> values(elementCount(tensor.shape));
    if (auto read = twin_.tensors->read(tensor, values, stop_); !read)
        return read;
    return forEachSlab(values.size(), sizeof(float), stop_,
                       [&](std::size_t first, std::size_t count) {
                           return append(std::span<const float>(values).subspan(first, count));
                       });
}

} // namespace

Result<ConvertedModel> convertToGguf(const fs::path& input, const fs::path& output,
                                     GgufFormat format, const LoadOptions& options,
                                     const Progress& progress, const std::stop_token& stop) {
    try {
        return GgufConversion(output, format, progress, stop).run(input, options);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::TooLarge, "There is not enough memory to convert " +
                                              input.filename().string() +
                                              "; close other programs."};
    }
}

} // namespace headscope

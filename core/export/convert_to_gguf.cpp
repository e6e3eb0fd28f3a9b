#include "core/export/convert_to_gguf.h"

#include "core/export/formats/gguf_file.h"
#include "core/export/formats/origin.h"
#include "core/loading/dialect.h"
#include "core/loading/gguf_twin.h"
#include "core/loading/model_texts.h"

#include <new>
#include <string>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

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

    const fs::path& output_;
    GgufFormat format_;
    const Progress& progress_;
    const std::stop_token& stop_;
    std::shared_ptr<const TensorSource> file_;
    std::string config_;
    GgufTwin twin_;
    GgufTokenizer tokenizer_;
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
    config_ = (*config)->content;
    auto twin = ggufTwin(*model, config_, file_);
    if (!twin)
        return twin.error();
    twin_ = *std::move(twin);
    TokenizerInside tokenizer = tokenizerInside(*file_);
    converted_.tokenizer_source = std::move(tokenizer.source);
    converted_.tokenizer_note = std::move(tokenizer.note);
    tokenizer_ = {std::move(tokenizer.json), bosOf(**model)};
    return {};
}

Result<void> GgufConversion::write() {
    auto written = writeGgufFile(
        output_, twin_, format_, tokenizer_, progress_, stop_,
        [this](const fs::path& path) { return checkGgufTwin(path, config_, *file_); });
    if (!written)
        return written.error();
    converted_.written.tensors = written->tensors;
    if (!written->tokenizer_note.empty())
        converted_.tokenizer_note = std::move(written->tokenizer_note);
    return {};
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

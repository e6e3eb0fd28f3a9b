#include "core/export/formats/origin.h"

#include "core/base/text.h"
#include "core/loading/dialect.h"
#include "core/loading/model_texts.h"
#include "core/loading/tokenizer_files.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace headscope {

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

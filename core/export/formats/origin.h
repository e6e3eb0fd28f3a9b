#pragma once

#include "core/base/result.h"
#include "core/export/formats/model_file.h"
#include "core/io/tensor_source.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace headscope {

// What a model file takes from the file that its model was read from.

/// What of a file's tokenizer can stand inside another one.
struct TokenizerInside {
    std::string json;   ///< of tokenizer.json; empty when it cannot
    std::string config; ///< of tokenizer_config.json; empty without, and where json is
    std::string source; ///< where it was found; empty, too
    std::string note;   ///< why it is not inside, a sentence; empty when it is
};
TokenizerInside tokenizerInside(const TensorSource& file);

/// The file that a model is loaded from, as its family knows it, with its config and tokenizer.
struct Origin {
    std::shared_ptr<const TensorSource> file;
    ModelFileTexts texts;
    std::string config_source;
    std::string tokenizer_source; ///< TokenizerInside, as the note
    std::string tokenizer_note;
};
Result<Origin> openOrigin(const std::filesystem::path& path, const std::stop_token& stop = {});

/// Fails when `output` is one of the files that are read; `model` says which one that is ("that is
/// converted").
Result<void> checkNotRead(const TensorSource& file, const std::filesystem::path& output,
                          std::string_view model);

} // namespace headscope

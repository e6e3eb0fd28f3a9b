#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/streamed_arrays.h"
#include "core/io/tensor_source.h"
#include "core/loading/load_model.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The texts of a model file; empty ones are not written.
struct ModelFileTexts {
    std::string config;           ///< of config.json
    std::string tokenizer;        ///< of tokenizer.json
    std::string tokenizer_config; ///< of tokenizer_config.json
    std::string description;
    std::string square_matrices; ///< kFlipped where loading must turn them round
    std::string head_matrices;   ///< kTransposed likewise
};

struct WrittenModel {
    std::size_t tensors = 0;
    std::vector<std::string> left_out; ///< tensors that hold no floating-point numbers
};

/// Writes a model as a native HDF5 file, tensor by tensor: under the names that `weights` gives,
/// with every matrix turned to what its name promises. Without a format every tensor keeps that of
/// its TensorInfo. float16 takes no numbers that would become infinite. The file is written whole
/// or not at all; not when `inspect`, which is shown it before it is put in place, fails. With
/// `packed` its numbers are (streamed_arrays.h).
Result<WrittenModel> writeModelFile(const std::filesystem::path& path, const TensorSource& weights,
                                    const ModelFileTexts& texts, std::optional<FloatFormat> format,
                                    bool packed = false, const Progress& progress = {},
                                    const std::stop_token& stop = {},
                                    const InspectFile& inspect = {});

// What a model file takes from the file that its model was read from.

/// What another file can hold of this one's tokenizer.
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

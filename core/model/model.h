#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/load_report.h"
#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "core/tokenizer/tokenizer.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace headscope {

/// What the files say about a token that texts begin with.
struct BosFacts {
    std::optional<TokenId> config_token;    ///< bos_token_id of the config
    std::optional<TokenId> tokenizer_token; ///< bos_token of the tokenizer's files
    std::optional<bool> add_bos_token;      ///< of tokenizer_config.json
};

/// A network ready to run. Immutable: after loading any number of threads share one.
struct Model {
    std::string name; ///< file name without extension
    std::filesystem::path path;
    std::string sha256; ///< of the weight file
    std::string description;
    ModelSpec spec;
    Weights weights;
    std::shared_ptr<const Tokenizer> tokenizer; ///< null: prompts are token ids
    BosFacts bos_facts;
    LoadReport report;
};

/// Attribute of a native file; "flipped" when it was converted with flip_square_matrices.
inline constexpr const char* kSquareMatrices = "square_matrices";
inline constexpr const char* kFlipped = "flipped";

/// Fails with the reason when the weights are all there is of the model.
Result<void> checkRunnable(const Model& model);

struct LoadOptions {
    /// Reads square weight matrices the other way than names and other shapes suggest. A converted
    /// file remembers that (attribute kSquareMatrices), and this then turns them back.
    bool flip_square_matrices = false;
};

/// Reads a weight file with its config and tokenizer (inside it, or config.json and tokenizer.json
/// beside it). Every tensor is checked for shape, type and finiteness before the model exists.
Result<std::shared_ptr<const Model>> loadModel(const std::filesystem::path& path,
                                               const LoadOptions& options = {},
                                               const Progress& progress = {},
                                               std::stop_token stop = {});

} // namespace headscope

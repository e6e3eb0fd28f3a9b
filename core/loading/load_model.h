#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"

#include <filesystem>
#include <memory>
#include <stop_token>

namespace headscope {

/// Attribute of a native file; "flipped" when it was converted with flip_square_matrices.
inline constexpr const char* kSquareMatrices = "square_matrices";
inline constexpr const char* kFlipped = "flipped";
/// Likewise; "transposed" when it was converted with transpose_heads.
inline constexpr const char* kHeadMatrices = "head_matrices";
inline constexpr const char* kTransposed = "transposed";

struct LoadOptions {
    /// Reads square weight matrices the other way than names and other shapes suggest. A converted
    /// file remembers that (attribute kSquareMatrices), and this then turns them back.
    bool flip_square_matrices = false;
    /// Reads the matrices of single heads as [head, d_head, d_model], as TransformerLens once wrote
    /// them. Needed only where d_head is d_model, since a shape tells it otherwise; a converted
    /// file remembers it (attribute kHeadMatrices). Fails where a shape says that they are not.
    bool transpose_heads = false;
};

/// Reads a weight file with its config and tokenizer (inside it, or config.json and tokenizer.json
/// beside it). Every tensor is checked for shape, type and finiteness before the model exists.
Result<std::shared_ptr<const Model>> loadModel(const std::filesystem::path& path,
                                               const LoadOptions& options = {},
                                               const Progress& progress = {},
                                               std::stop_token stop = {});

} // namespace headscope

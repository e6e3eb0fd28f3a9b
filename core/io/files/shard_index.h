#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headscope {

/// Which shard holds which tensor, as the index of a model in several files tells.
struct ShardIndex {
    std::vector<std::filesystem::path> shards; ///< in the folder of the index, none twice
    std::set<std::size_t> missing;             ///< places in `shards` of those that are not there
    /// The tensor, or for Keras the path of a group of tensors, with its places in `shards`: one,
    /// or for Keras several.
    std::map<std::string, std::vector<std::size_t>> weight_map;
    std::optional<std::size_t> total_bytes; ///< of all tensors, where the index tells
};

/// Reads "model.safetensors.index.json", "tf_model.h5.index.json" or "model.weights.json":
/// {"metadata": {"total_size": …}, "weight_map": {tensor: file}}, and for Keras also {group: [file,
/// …]}. Every shard must be inside the folder of the index; links may lead out of it only in a
/// Hugging Face cache, to the blobs of the same model. One at least must be there.
Result<ShardIndex> readShardIndex(const InputFile& file);

} // namespace headscope

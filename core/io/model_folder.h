#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The weight file or index of a folder that holds one model: safetensors before TensorFlow's and
/// Keras's, these before files of other names, and if there are none, those of the folder inside it
/// that modules.json of sentence-transformers names. Of a download of huggingface_hub
/// ("models--ORG--NAME") it takes the snapshot that refs/main names. Fails, and names what is
/// there, if there are no weights, several files of other names, an adapter, or only files that are
/// never read.
Result<std::filesystem::path> weightsIn(const std::filesystem::path& folder);

/// Why the weights at a path cannot be opened where they are an adapter that PEFT wrote for another
/// model; nothing for others.
std::optional<Error> adapterRefusal(const std::filesystem::path& file);

/// A sentence for the user that names the other weights in a folder of which `chosen` is opened;
/// empty when there are none. Shards of `chosen` do not count as others.
std::string leftAsideIn(const std::filesystem::path& folder, const std::filesystem::path& chosen);

/// "model" for "model-00001-of-00003", the stem of a shard's name; empty for any other.
std::string numberedStem(std::string_view stem);

/// Whether a file has weights that can be opened, by its ending.
bool isWeightFile(const std::filesystem::path& path);

/// Whether a file is an index of shards, by its name.
bool isShardIndex(const std::filesystem::path& path);

/// The index of which a file is one shard, by its name ("model-00001-of-00003.safetensors",
/// "model_00000.weights.h5"), whether or not it is there. Parts of a GGUF have none.
std::optional<std::filesystem::path> indexOf(const std::filesystem::path& shard);

/// Whether a file's name counts it among several: "model-00001-of-00003".
bool isOneOfSeveral(const std::filesystem::path& shard);

/// "Of 3 shards 1 is missing: 'a'; download what is missing into the same folder."
std::string missingFilesNote(std::size_t count, std::string_view noun,
                             const std::vector<std::string>& missing);

} // namespace headscope

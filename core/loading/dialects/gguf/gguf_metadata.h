#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/loading/config/config_reader.h"
#include "core/tokenizer/from_ggml.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// What Headscope adds to llama.cpp's own keys for layers that lost heads: how many they had, and
// which are left, as the text of core/loading/model_texts.h.
inline constexpr std::string_view kGgufWholeHeads = "headscope.head_count";
inline constexpr std::string_view kGgufWholeKvHeads = "headscope.head_count_kv";
inline constexpr std::string_view kGgufKeptHeads = "headscope.kept_heads";

/// What it adds to GPT-OSS: whether the ramp of YaRN ends at whole rotary pairs, as in llama.cpp.
inline constexpr std::string_view kGgufYarnTruncates = "headscope.yarn_truncates";

/// The metadata of one GGUF model, by keys without the name of its architecture ("block_count" for
/// "llama.block_count"). Failures stay in `reader`.
class GgufKeys {
public:
    /// `metadata` is what the reader reads, too.
    GgufKeys(ConfigReader metadata_reader, JsonValue metadata, std::string architecture,
             const TensorSource& tensors)
        : reader(std::move(metadata_reader)), metadata_(metadata),
          architecture_(std::move(architecture)), tensors_(tensors) {}

    bool has(std::string_view key) const { return reader.has(full(key)); }
    /// A size may be a list with an element for each layer; all must be the same then.
    std::size_t size(std::string_view key);
    std::size_t sizeOr(std::string_view key, std::size_t fallback, std::size_t minimum = 1) {
        return isList(key) ? size(key) : reader.sizeOr({full(key)}, fallback, minimum);
    }
    /// The elements of a list with one for each layer; empty for a number.
    std::vector<std::size_t> sizesByLayer(std::string_view key);
    double numberOr(std::string_view key, double fallback) {
        return reader.number(full(key)).value_or(fallback);
    }
    double positiveOr(std::string_view key, double fallback) {
        return reader.positiveOr({full(key)}, fallback);
    }
    bool flagOr(std::string_view key, bool fallback) {
        return reader.flagOr({full(key)}, fallback);
    }
    std::vector<bool> flags(std::string_view key) { return reader.flags(full(key)); }
    bool isList(std::string_view key) const { return metadata_.member(full(key)).isArray(); }
    /// layer_types of a config: of which layers a list says that they have windows.
    std::vector<std::string> layerTypes(std::string_view key);
    std::string textOr(std::string_view key, std::string_view fallback) {
        return reader.textOr({full(key)}, fallback);
    }

    const std::string& architecture() const { return architecture_; }

    bool hasTensor(std::string_view name) const { return tensors_.find(name) != nullptr; }
    /// The length of the first axis; 0 for a tensor that the file has not.
    std::size_t rows(std::string_view name) const;
    /// The numbers of a small tensor; empty for one that the file has not.
    std::vector<double> numbers(std::string_view name);

    /// Query heads and key-value heads of a layer; of a model whose layers lost some, before that
    /// (kGgufWholeHeads); of "deci" without that, those of the layer that has most.
    std::size_t nHeads();
    std::size_t nKvHeads();
    /// The width of a head.
    std::size_t headSize();
    /// How much of it is rotated.
    std::size_t rotatedSize() { return sizeOr("rope.dimension_count", headSize()); }

    /// Fails on keys that nobody read and that would make the model another network.
    void refuseUnread();

    ConfigReader reader;

private:
    std::size_t headsUnder(std::string_view key, std::string_view whole_key);
    std::string full(std::string_view key) const { return architecture_ + "." + std::string(key); }

    JsonValue metadata_;
    std::string architecture_;
    const TensorSource& tensors_;
};

/// The tokenizer of a GGUF's metadata as the text of a tokenizer.json. Fails when its kind is
/// unknown; `source` names the file in error messages.
Result<RewrittenTokenizer> ggufTokenizer(JsonValue metadata, std::string_view source);

} // namespace headscope

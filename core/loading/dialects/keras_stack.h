#pragma once

#include "core/base/result.h"
#include "core/loading/dialects/keras_graph.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// A Keras model that is an embedding, equal transformer blocks and perhaps a final norm and an
/// unembedding.
struct KerasStack {
    /// A layer and the name that its tensors get: "blocks.0.attn".
    struct Place {
        const KerasLayer* layer;
        std::string name;
    };

    std::vector<Place> places;
    nlohmann::json config;          ///< of the family keras_transformer
    std::vector<std::string> notes; ///< what is left out
};

/// Recognises blocks that normalise before or after attention and MLP:
///   x + attention(norm(x)), then x + dense(dense(norm(x)))
///   norm(x + attention(x)), then norm(x + dense(dense(x)))
/// Fails, naming the attention layers, when the graph is anything else. Points into the graph.
Result<KerasStack> findKerasStack(const KerasGraph& graph, const std::string& source);

/// What an attention layer reads and writes is so wide; nothing where no single width tells.
using WidthOf = std::function<std::optional<std::size_t>(const KerasLayer&)>;

/// The MultiHeadAttention layers of any functional Keras model that share the most common sizes, in
/// its order, without what is between them: places, notes (also of the layers that are left aside)
/// and the config of the family keras_attention. Nothing when there are none. Points into the
/// graph.
std::optional<KerasStack> findKerasAttention(const KerasGraph& graph, const WidthOf& width_of);

} // namespace headscope

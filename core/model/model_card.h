#pragma once

#include "core/model/model.h"

#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

/// Numbers of a model that follow from its shape alone.
struct ModelCard {
    struct Matrix {
        std::string name; ///< "blocks.*.attn.W_Q", "blocks.*.mlp.experts.*.W_in"
        Shape shape;
        std::size_t parameters = 0; ///< of one such matrix
        std::size_t count = 1;      ///< how many of them, in all layers and experts
    };

    std::string architecture; ///< "gpt2 · 6 layers × 8 heads · MHA · learned positions · …"
    std::string attention_kind; ///< "MHA", "GQA (4 queries per KV head)", "MQA"
    std::vector<Matrix> matrices;
    std::size_t total_parameters = 0;
    std::size_t layer_parameters = 0;       ///< of the first layer
    std::size_t attention_parameters = 0;   ///< of the first layer
    std::size_t kv_bytes_per_token = 0;     ///< float32, all layers
    std::size_t kv_bytes_full_context = 0;  ///< float32, at n_ctx
    std::size_t mha_kv_bytes_per_token = 0; ///< what it would be without sharing KV heads
};

ModelCard modelCard(const Model& model);

} // namespace headscope

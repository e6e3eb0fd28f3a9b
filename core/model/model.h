#pragma once

#include "core/base/per_head.h"
#include "core/base/result.h"
#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "core/tensor/tensor.h"
#include "core/tokenizer/tokenizer.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// The order of values per head of a network.
inline HeadIndex headIndex(const ModelSpec& spec) {
    return spec.kept_heads.empty() ? HeadIndex(spec.n_layers, spec.n_heads)
                                   : HeadIndex(spec.n_layers, spec.allHeads());
}

/// What the loader understood, told to the user in the window and by `headscope-cli info`.
struct LoadReport {
    /// One tensor of the file that was used.
    struct Used {
        std::string role;      ///< "blocks.0.attn.W_Q"
        std::string tensor;    ///< name in the file
        Shape shape;           ///< in the file
        std::string type;      ///< "float16"
        std::string transform; ///< "as stored", "transposed", ...
    };
    struct Ignored {
        std::string tensor;
        std::string reason;
    };

    struct Missing {
        std::string tensor;   ///< name that it would have in the file
        std::string expected; ///< "[d_model, d_mlp] = [48, 192]"
    };

    std::vector<Used> used;
    std::vector<Ignored> ignored;
    std::vector<Missing> missing;   ///< of a base model, or one whose attention alone is open
    std::vector<std::string> notes; ///< tied weights, files found beside the model, …
    std::vector<std::string> unused_config_keys; ///< keys of the config nobody read
    std::string config_source;                   ///< "attribute 'config' of gpt2.h5"
    std::string tokenizer_source;                ///< empty: no tokenizer, prompts are token ids
    std::string unused_tokenizer;    ///< why the one that came with the model is not used, if so
    std::string bos_rule;            ///< one sentence
    std::size_t weight_bytes = 0;    ///< in memory
    std::size_t square_matrices = 0; ///< weight matrices that could be read either way
};

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
    std::shared_ptr<const void> in_use; ///< keeps its files as they are (OpenedFiles)
};

/// Fails with the reason when the weights are all there is of the model. Asked where prompts are
/// made, and by the engine, which takes ids from anywhere; not on the way from one to the other.
Result<void> checkRunnable(const Model& model);

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
    std::size_t kv_bytes_per_token = 0;     ///< float32, all layers
    std::size_t kv_bytes_full_context = 0;  ///< float32, at n_ctx
    std::size_t mha_kv_bytes_per_token = 0; ///< what it would be without sharing KV heads
};

ModelCard modelCard(const Model& model);

} // namespace headscope

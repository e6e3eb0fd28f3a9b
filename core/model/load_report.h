#pragma once

#include "core/tensor/tensor.h"

#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

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

    std::vector<Used> used;
    std::vector<Ignored> ignored;
    std::vector<std::string> notes; ///< tied weights, files found beside the model, …
    std::vector<std::string> unused_config_keys; ///< keys of the config nobody read
    std::string config_source;                   ///< "attribute 'config' of gpt2.h5"
    std::string tokenizer_source;                ///< empty: no tokenizer, prompts are token ids
    std::string bos_rule;                        ///< one sentence
    std::size_t weight_bytes = 0;                ///< in memory
    std::size_t square_matrices = 0;             ///< weight matrices that could be read either way
};

} // namespace headscope

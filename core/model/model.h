#pragma once

#include "core/base/result.h"
#include "core/model/load_report.h"
#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "core/tokenizer/tokenizer.h"

#include <filesystem>
#include <memory>
#include <optional>
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

/// Fails with the reason when the weights are all there is of the model. Asked where prompts are
/// made, and by the engine, which takes ids from anywhere; not on the way from one to the other.
Result<void> checkRunnable(const Model& model);

} // namespace headscope

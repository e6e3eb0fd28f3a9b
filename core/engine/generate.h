#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/base/token_id.h"
#include "core/engine/head_mask.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

struct GenerateOptions {
    std::size_t tokens = 20;
    /// Divides the logits before a token is drawn from their softmax; 0: the most probable token.
    double temperature = 0.0;
    std::uint64_t seed = 0;
    HeadMask mask = {}; ///< the heads that are ablated meanwhile
};

struct GeneratedToken {
    TokenId id = 0;
    double probability = 0.0; ///< that the network gives it, whatever the temperature
};

/// Hears of each token as it comes.
using PublishToken = std::function<void(const GeneratedToken& token)>;

/// Continues a prompt, token by token, until there are as many as asked for, the context is full or
/// a token comes that is no text, such as the one that ends it (Tokenizer::isSpecial()), which is
/// not among them. Keys and values are kept, so that a token costs one position; where they would
/// change with the length of the text (mean ablation, positions stretched by length) the whole text
/// is run again. Fails for networks that do not predict the next token, as runBatch() does, and
/// with ErrorCode::Cancelled on a stop request.
Result<std::vector<GeneratedToken>> generate(const std::shared_ptr<const Model>& model,
                                             const TokenIds& prompt, const GenerateOptions& options,
                                             const Progress& progress = {},
                                             const std::stop_token& stop = {},
                                             const PublishToken& publish = {});

/// One row per token: position, id, piece, probability. Fields: text (of the new tokens),
/// temperature, seed. The rows are "tokens"; the caption has the whole text.
Table generatedTable(const Model& model, const Prompt& prompt,
                     std::span<const GeneratedToken> tokens, const GenerateOptions& options,
                     const Provenance& provenance);

} // namespace headscope

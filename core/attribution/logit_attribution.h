#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/head_mask.h"
#include "core/engine/hooks.h"
#include "core/engine/loss.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace headscope {

/// Which logit of which prompt.
struct LogitQuestion {
    TokenIds ids;
    std::size_t position = 0; ///< where it is read
    TokenId token = 0;
    std::optional<TokenId> against; ///< with it the difference logit(token) − logit(against)
    HeadMask ablated = {};          ///< in this run, by zero or mean
};

/// What writes into the residual stream, or adds to the logits after it.
enum class LogitPartKind {
    Embedding,     ///< of the token
    Positions,     ///< learned ones
    TokenTypes,    ///< of encoders
    EmbeddingBias, ///< of the norm after the embedding
    Head,          ///< z_h W_O
    Biases,        ///< of a layer: b_O and the biases of norms after attention or a sum
    Mlp,           ///< with its biases
    OutputBias,    ///< of the final norm and of the unembedding
};

/// "embedding", "positions", "token types", "embedding bias", "head", "biases", "mlp", "output
/// bias"
std::string_view logitPartName(LogitPartKind kind);

struct LogitPart {
    LogitPartKind kind = LogitPartKind::Embedding;
    LayerHead of; ///< the layer of Biases and Mlp, layer and head of Head
    double value = 0.0;
};

/// A logit, or the difference of two, as the sum of what each part of the network adds to it.
struct LogitAttribution {
    LogitQuestion question;
    double logit = 0.0;           ///< of the run, before the soft-cap of networks that have one
    std::vector<LogitPart> parts; ///< in the order of the network
    /// [layer, head, key]: each head's part by the position it came from, A[q, k] · (v_k W_O)·d,
    /// where q is the position that is read.
    Tensor sources;

    double sum() const; ///< of the parts: `logit` up to rounding
    double of(LayerHead head) const;
};

/// Direct logit attribution (Elhage et al. 2021; Wang et al. 2022): what each part writes at this
/// position, read in the direction d of the token's column of W_U, with every norm on the way held
/// at the scale it has in this run and its gain folded into d. What a part changes in later layers
/// is not counted to it. `hooks` may edit the run besides the ablation; a head's sources are of its
/// pattern and values, and add up to its part unless its z was edited.
/// Fails for networks whose logits are no linear readout of the residual stream (masked-LM heads),
/// for those without a vocabulary, for tokens or positions outside, for heads that need stand-ins,
/// and as runModel() does.
Result<LogitAttribution> attributeLogit(const std::shared_ptr<const Model>& model,
                                        const LogitQuestion& question, const HookSet& hooks = {},
                                        std::stop_token stop = {});

/// Where the prediction at one position comes from.
struct PredictionQuestion {
    TokenIds ids;
    std::size_t position = 0;
    std::optional<TokenId> token = {}; ///< none: the most probable one there
    std::optional<TokenId> against = {};
    HeadMask ablated = {};        ///< heads ablated meanwhile, by zero or mean
    std::size_t predictions = 10; ///< how many of the most probable tokens are named
};

struct PredictionAttribution {
    std::vector<Prediction> predictions;  ///< best first
    TokenId token = 0;                    ///< asked for, or the best
    Result<LogitAttribution> attribution; ///< fails where logits are no sum over heads
};

/// What the network predicts at one position and, from the same run, where the logit of one token
/// comes from. Fails as attributeLogit() does, but for networks whose logits are no linear readout.
Result<PredictionAttribution> attributePrediction(const std::shared_ptr<const Model>& model,
                                                  const PredictionQuestion& question,
                                                  std::stop_token stop = {});

} // namespace headscope

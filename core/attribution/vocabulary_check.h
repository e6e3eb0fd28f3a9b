#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/model/model.h"

#include <cstddef>
#include <optional>

namespace headscope {

/// Fails for a network without logits.
Result<void> checkVocabulary(const Model& model);

/// Fails for a network whose logits are no linear readout of the residual stream.
Result<void> checkLinearReadout(const Model& model);

/// Fails for a token that is not in the vocabulary.
Result<void> checkToken(const Model& model, TokenId token);
/// The same for the tokens of a logit, or of the difference of two.
Result<void> checkTokens(const Model& model, std::optional<TokenId> token,
                         std::optional<TokenId> against);

/// Fails for a position outside a prompt of `positions` tokens.
Result<void> checkPosition(std::size_t positions, std::size_t position);

} // namespace headscope

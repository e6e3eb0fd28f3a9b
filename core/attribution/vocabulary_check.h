#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/model/model.h"

namespace headscope {

/// Fails for a network without logits.
Result<void> checkVocabulary(const Model& model);

/// Fails for a network whose logits are no linear readout of the residual stream.
Result<void> checkLinearReadout(const Model& model);

/// Fails for a token that is none of the vocabulary.
Result<void> checkToken(const Model& model, TokenId token);

} // namespace headscope

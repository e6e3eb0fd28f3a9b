#pragma once

#include "core/base/token_id.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// How a logit is read: x · direction + bias of the stream x behind the final norm.
struct LogitDirection {
    std::vector<double> direction; ///< [d_model]
    double bias = 0.0;             ///< of the unembedding
};

/// Of a token, or of it minus another.
LogitDirection logitDirection(const Model& model, TokenId token, std::optional<TokenId> against);

/// W · x, W [rows, cols], x [cols].
std::vector<double> timesColumn(MatrixView W, std::span<const double> x);

} // namespace headscope

#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/head_mask.h"
#include "core/engine/hooks.h"
#include "core/engine/loss.h"
#include "core/model/model.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace headscope {

struct LensQuestion {
    TokenIds ids;
    std::size_t top = 5;          ///< most probable tokens to keep
    std::optional<TokenId> token; ///< whose probability and rank are followed
    HeadMask ablated = {};        ///< in this run, by zero or mean
};

/// What the residual stream of one position predicts at one depth.
struct LensReading {
    std::vector<Prediction> top;                                   ///< best first
    double probability = std::numeric_limits<double>::quiet_NaN(); ///< of the token
    std::size_t rank = 0; ///< of the token, 1 is the best; 0 without a token
    double kl = 0.0;      ///< Σ p ln(p / q) in nats, p the model's own distribution, q this one
    double entropy = 0.0; ///< −Σ q ln q in nats
};

/// By depth: depth 0 is the embedding, depth l + 1 what layer l leaves; the last is the model's own
/// prediction.
struct LogitLens {
    LensQuestion question;
    std::size_t depths = 0;            ///< layers + 1
    std::vector<LensReading> readings; ///< [depth, position]

    const LensReading& at(std::size_t depth, std::size_t position) const {
        return readings[depth * question.ids.size() + position];
    }
};

/// The logit lens (nostalgebraist 2020): what the network would predict if it ended at each depth,
/// by its own final norm and unembedding (with soft-cap; of encoders with the masked-LM head). Some
/// positions at a time, so that memory grows with the vocabulary and not with depth or positions.
/// `hooks` may edit the run besides the ablation; its last stream is then the model's own
/// prediction. Fails for networks without a vocabulary, for tokens outside, for heads that need
/// stand-ins, as runModel() does, and with ErrorCode::Cancelled on a stop request.
Result<LogitLens> readLogitLens(const std::shared_ptr<const Model>& model,
                                const LensQuestion& question, const HookSet& hooks = {},
                                const Progress& progress = {}, std::stop_token stop = {});

} // namespace headscope

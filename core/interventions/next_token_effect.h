#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>

namespace headscope {

/// −ln p of the token behind a query, nats: what a head does to it where it looks somewhere.
struct NextTokenEffect {
    double loss = 0.0;    ///< of the whole network
    double ablated = 0.0; ///< with one head ablated alone

    double change() const { return ablated - loss; } ///< above 0: the head helps
};

/// Both networks run the sequence up to the query. Nothing where no next token is predicted: in
/// bidirectional networks, in those that predict classes, and at the last position. Fails as
/// runBatch() does, for a kind that needs other sequences, and with ErrorCode::Cancelled.
Result<std::optional<NextTokenEffect>> nextTokenEffect(const std::shared_ptr<const Model>& model,
                                                       const InputSequence& sequence,
                                                       std::size_t query, LayerHead head,
                                                       AblationKind kind,
                                                       const std::stop_token& stop = {});

} // namespace headscope

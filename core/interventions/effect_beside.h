#pragma once

#include "core/base/layer_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/sweep.h"
#include "core/model/model.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace headscope {

/// What ablating a head costs where others are ablated already. A head that costs nothing alone may
/// cost something here: the others make up for it.
struct EffectBesideQuestion {
    LayerHead head;
    HeadSet others; ///< ablated in both runs; at least one, and not the head
    ReplacedBy by = {};
    std::optional<double> least_effect = std::nullopt; ///< nats; nothing: leastEffect()
};

struct EffectBeside : EffectReading {
    EffectBesideQuestion question;

    /// Whether it costs at least the least effect.
    bool counts() const { return effectSide(interval, least) == EffectSide::Above; }
};

/// Fails as sweepHeads() does, without sequences, and with ErrorCode::Cancelled on a stop request.
Result<EffectBeside> effectBeside(const std::shared_ptr<const Model>& model,
                                  const EffectInput& input, const EffectBesideQuestion& question,
                                  const Progress& progress = {}, const std::stop_token& stop = {});

/// "Where 1.3 is ablated, too, ablating it raises the loss by 2.100 nats (95 % 1.900 to 2.300, 10
/// sequences), so 1.3 makes up for it."
std::string effectBesideText(const EffectBeside& result);

} // namespace headscope

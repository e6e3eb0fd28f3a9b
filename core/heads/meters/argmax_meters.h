#pragma once

#include "core/heads/meters/meter.h"
#include "core/heads/meters/target_meter.h"
#include "core/model/model_spec.h"

#include <memory>

namespace headscope {

// With more than 128 positions, only every second, third, … query is read (kMostSampledRows).

/// The share of scored queries whose largest weight off position 0 lies on a target (Voita et al.
/// 2019, Clark et al. 2019). Baseline: that of a largest weight at a random key off position 0.
/// Second reading: with position 0 as a candidate. Null when no query has a target.
std::unique_ptr<Meter> argmaxMeter(const ModelSpec& spec, const InputSequence& sequence,
                                   const Targets& targets);

/// The largest share of queries whose largest weight lies at one and the same offset q − k ≠ 0
/// (Voita et al. 2019, "positional"). Each query that sees a key besides itself counts. Baseline:
/// the same share for the best offset of a head whose largest weight lies anywhere. Second reading:
/// the share at offset 1, the token before.
std::unique_ptr<Meter> offsetMeter(const ModelSpec& spec, const InputSequence& sequence);

} // namespace headscope

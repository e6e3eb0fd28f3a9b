#pragma once

#include "core/heads/input_sequence.h"
#include "core/heads/meters/meter.h"
#include "core/model/model_spec.h"

#include <memory>

namespace headscope {

// With more than 128 positions, only every second, third, … query is read (kMostSampledRows).

/// How evenly a head spreads its attention: mean over q of H[q] / ln v, with the entropy H[q] =
/// −Σ A ln A in nats and v the number of keys that q sees (v ≥ 2). Second reading: of the attention
/// off position 0, scaled to sum to 1; not defined for a head that leaves none. The baseline is 0:
/// a head that looks at one key.
/// Where a learned sink takes a part of each row, it is of the rest, and a row counts by what is
/// left.
std::unique_ptr<Meter> entropyMeter(const ModelSpec& spec, const InputSequence& sequence);

/// How far a head looks: Σ_q Σ_{k≥1} A[q, k]·|q − k| / Σ_q Σ_{k≥1} A[q, k]·d[q], d[q] being the
/// distance of the farthest key but position 0 that q sees, over q with d ≥ 32. An even head scores
/// about ½. Second reading: with position 0. Null for a sequence without such a query.
std::unique_ptr<Meter> distanceMeter(const ModelSpec& spec, const InputSequence& sequence);

} // namespace headscope

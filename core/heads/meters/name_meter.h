#pragma once

#include "core/base/per_head.h"
#include "core/heads/input_sequence.h"
#include "core/heads/meters/meter.h"
#include "core/heads/name_task.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <memory>

namespace headscope {

/// How much one token of a prompt looks at another.
struct NameLook {
    std::size_t query = 0;
    std::size_t key = 0;                   ///< not position 0
    const PerHead<bool>* writes = nullptr; ///< null: whatever heads write
};

/// score = A[query, key] / Σ_{k≥1} A[query, k]: of what is left beside the first position, where
/// heads rest; 0 for heads that do not write the name, where `writes` is given. Second reading:
/// A[query, key] of all heads. The baseline is that of even attention and, with `writes`, of a
/// token that is among the five best logits by chance. Null for sequences that are no prompt of the
/// task.
std::unique_ptr<Meter> nameMeter(const ModelSpec& spec, const InputSequence& sequence,
                                 NameLook (*look)(const NameTask& task));

} // namespace headscope

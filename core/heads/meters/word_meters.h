#pragma once

#include "core/base/per_head.h"
#include "core/heads/annotation.h"
#include "core/heads/input_sequence.h"
#include "core/heads/meters/meter.h"
#include "core/heads/sequences.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <memory>

namespace headscope {

/// How often a head finds the other word of a link (Clark et al. 2019): of all linked pairs, the
/// share where the later word attends to the earlier one most. Attention between words is the mean
/// over the tokens of the one that looks, of the sum over the tokens of the other; the own word and
/// the word at position 0 do not count, and neither does a pair where the nearest word of another
/// kind looks at the earlier word at least ¾ as much: that head does not ask who looks.
/// Baseline: always the word at the usual distance. Second reading: the earlier word looks at the
/// later one; encoders only. A head counts by what it shows. Null without an annotation or such a
/// pair.
std::unique_ptr<Meter> linkMeter(const ModelSpec& spec, const InputSequence& sequence,
                                 WordLink link);

/// The share of the attention on other words (earlier ones in a causal network) that is on words of
/// the query's class. The same word or token in another place does not count as another word. Only
/// queries with such a word before them, or anywhere in a text that is read both ways, count.
/// Baseline: what the head's own distances would give, Σ_d A_d · p(same class | d). Position 0 does
/// not count. Second reading: that share over all words of the class, of all attention. Null
/// without an annotation.
std::unique_ptr<Meter> wordClassMeter(const ModelSpec& spec, const InputSequence& sequence);

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

#pragma once

#include "core/heads/input_sequence.h"
#include "core/heads/meters/meter.h"
#include "core/model/model.h"

#include <memory>

namespace headscope {

/// Whether heads raise the logit of the token they attend to (copying, Olsson et al. 2022). Of the
/// first copy of a repeat, whose tokens are all different: what each value writes to the logits of
/// these tokens, less what it writes to the average logit, where that is above what rounding
/// leaves. The score is the share of the token itself among 25 tokens, of which 24 are raised as
/// the other ones are on average, as a mean over the tokens: Olsson et al. draw 25 tokens, and the
/// share among all that happen to be drawn falls with their number. The second reading is the share
/// of the other tokens that are raised less than the token itself. Null for other sequences and for
/// networks without logits after the residual stream.
std::unique_ptr<Meter> copyingMeter(const std::shared_ptr<const Model>& model,
                                    const InputSequence& sequence);

/// The same of what each value takes away from the logits: heads that lower the logit of the token
/// they attend to.
std::unique_ptr<Meter> copySuppressionMeter(const std::shared_ptr<const Model>& model,
                                            const InputSequence& sequence);

/// Whether heads raise the logit of a word's successor more than those of all other words of its
/// series (Gould et al. 2023), by more than what rounding leaves: 1 or 0 for a sequence that
/// ordinalSequences() made. All layers but the first read what the first block left, so that a head
/// that copies what an earlier one has found is none. The baseline is chance among the words. The
/// second reading is the share of the others that are raised less. Null for other sequences. It
/// edits the run, so that nothing else can be read from such a sequence.
std::unique_ptr<Meter> successorMeter(const std::shared_ptr<const Model>& model,
                                      const InputSequence& sequence);

/// The control: whether the most raised one is the word itself, the one before it or two after it.
std::unique_ptr<Meter> nearSuccessorMeter(const std::shared_ptr<const Model>& model,
                                          const InputSequence& sequence);

/// Writes little: 1 − n, at least 0, with n = mean over positions of ‖z_h W_O‖, divided by the mean
/// of that over the heads of the layer (average head output norm, normalised by layer: arXiv
/// 2504.03889v3, whose code takes the norm of z, before W_O, which depends on the basis of the
/// head: W_V / c and c W_O are the same head). Where a head looks is not asked. The baseline is 0:
/// a head that writes as much as the others. Second reading: the same of the largest ‖z_h W_O‖ of
/// all positions. Both are 1 where it is no more than rounding; NaN where the run's outputs were
/// not watched, and where the layer has a single head, which has no others to be compared with.
std::unique_ptr<Meter> dormantMeter(const std::shared_ptr<const Model>& model,
                                    const InputSequence& sequence);

} // namespace headscope

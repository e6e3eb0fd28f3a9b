#pragma once

#include "core/base/per_head.h"
#include "core/model/model.h"
#include "core/pruning/measure/head_statistics.h"

namespace headscope {

// Scores of heads from weights and moments of z; the least goes first.

/// ‖W_V W_O‖ (Frobenius) of each head.
PerHead<double> weightNorms(const Model& model);

/// Mean ‖z W_O‖ over the mean of the layer: the output norm by which dormant heads are told
/// (arXiv 2504.03889).
PerHead<double> outputNorms(const HeadStatistics& statistics);

/// Σ over d_head of Var(z_d)·‖W_O[d]‖² over the mean of the layer: FLAP's fluctuation (An et al.
/// 2024). FLAP centres and scales the scores of a layer; here they are only scaled, so that a head
/// that never fluctuates has 0 in every layer.
PerHead<double> fluctuations(const Model& model, const HeadStatistics& statistics);

/// Σ over the weights of W_O of |W|·‖z_d‖ over the mean of the layer (Wanda; Sun et al. 2024).
PerHead<double> weightsTimesInputs(const Model& model, const HeadStatistics& statistics);

/// Mean square of what is left of a head's output when the other heads of its layer reproduce it by
/// least squares, over that of what attention of the layer adds.
PerHead<double> reconstructionErrors(const Model& model, const HeadStatistics& statistics);

/// The place of each head in the order in which, of the two remaining heads of one layer that are
/// most alike, the one that adds less goes. Alike: centred kernel alignment of z, ‖C_ab‖² /
/// (‖C_aa‖ ‖C_bb‖) (Kornblith et al. 2019); heads that add nothing come first.
PerHead<double> redundancyRanks(const Model& model, const HeadStatistics& statistics);

} // namespace headscope

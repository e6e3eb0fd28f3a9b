#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/circuits/factors/vocabulary_match.h"
#include "core/circuits/folded_weights.h"
#include "core/engine/hooks.h"
#include "core/model/model.h"

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

/// The full OV circuit C_OV = W_E · W_V · W_O · W_U [d_vocab, d_vocab] of a head: how attending to
/// a token changes the logit of every other.
struct HeadCopying {
    LayerHead head;
    /// The d_head eigenvalues of C_OV that can differ from 0; none when the weights hold NaN.
    std::vector<std::complex<double>> eigenvalues;
    /// Σ Re λ / Σ |λ|, −1..1 (Elhage et al. 2021): 1 when every eigenvector raises itself. NaN when
    /// all eigenvalues are 0 or there are none.
    double score = 0.0;
};

/// Σ Re λ / Σ |λ|
double copyingScore(std::span<const std::complex<double>> eigenvalues);

/// The copying scores of all heads, by layer and head. The non-zero eigenvalues of C_OV are those
/// of the small matrix W_O · G · W_V [d_head, d_head], where G = W_U · W_E [d_model, d_model] is
/// one for all heads. Fails for models without logits and with ErrorCode::Cancelled on a stop
/// request.
Result<std::vector<HeadCopying>> copyingScores(const FoldedWeights& weights,
                                               const Progress& progress = {},
                                               const std::stop_token& stop = {});

/// The share of the sampled tokens whose own column is the largest (among the five largest) of
/// their row of C_OV. Several heads are added up. Fails as copyingScores() does.
Result<MatchAccuracy> ovCopyingAccuracy(const FoldedWeights& weights,
                                        std::span<const LayerHead> heads,
                                        const VocabularySample& sample,
                                        const std::stop_token& stop = {});

/// Copying heads with both measures.
struct MeasuredCopying {
    std::vector<HeadCopying> heads;        ///< highest score first, those without one last
    std::vector<MatchAccuracy> accuracies; ///< one per head
    VocabularySample sample;               ///< what they were measured on
};

/// The `most` heads with the highest copyingScores(), and how often each one's best token is the
/// one it attends to, of 1,000 sampled tokens. Fails as copyingScores() does.
Result<MeasuredCopying> measureCopying(const FoldedWeights& weights, std::size_t most,
                                       const Progress& progress = {},
                                       const std::stop_token& stop = {});

/// Fails for models whose heads cannot raise the logit of the token that they look at.
Result<void> checkCopies(const ModelSpec& spec);

/// Likewise, and for those whose unembedding does not read the stream that heads write to.
Result<void> checkDirectLogits(const Model& model);

/// Lets all layers but the first read at `position` what the first block left there, so that what
/// heads move is what a token alone is (Gould et al. 2023, who take what the first MLP writes).
void readFirstBlock(HookSet& hooks, const ModelSpec& spec, std::size_t position);

/// The rank of a token among all logits, 1 is the best, when only one head's OV circuit has written
/// to the residual stream. Equal logits count as better ones, so that a head that writes nothing is
/// the last.
struct CopiedRank {
    std::size_t written = 0; ///< by v W_O
    std::size_t negated = 0; ///< by −v W_O
};

/// Whether heads copy the token at `position` or speak against it (Wang et al. 2022, copy score):
/// the residual stream after the first block at this position goes through the input norm and W_V,
/// b_V and W_O of the head, then through the final norm and the unembedding. A head of the first
/// layer reads the embedding. Norms after attention are left out. Fails for models without logits,
/// as runModel() does, and with ErrorCode::Cancelled on a stop request.
Result<PerHead<CopiedRank>> copiedRanks(const std::shared_ptr<const Model>& model,
                                        const TokenIds& ids, std::size_t position,
                                        const std::stop_token& stop = {});

} // namespace headscope

#pragma once

#include "core/base/layer_head.h"
#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/head_mask.h"
#include "core/heads/score_heads.h"
#include "core/model/model.h"
#include "core/similarity/clustering.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// On what heads are compared.
struct SimilarityQuestion {
    std::vector<TokenIds> prompts; ///< none: repeated random tokens
    RepeatOptions repeats = {};
    HeadMask ablated = {}; ///< heads ablated meanwhile, by zero or mean
};

/// How similar all heads of a network are to one another. Heads are counted layer by layer.
struct HeadSimilarity {
    HeadIndex index;
    /// [head, head], nats, in [0, ln 2]: the Jensen-Shannon divergence of two attention rows, JS(a,
    /// b) = H((a + b) / 2) − (H(a) + H(b)) / 2 with H(a) = −Σ a ln a, as a mean over all rows of
    /// all prompts but the first of each, which sees one key only (Clark et al. 2019).
    Tensor pattern_distance;
    /// [head, head], in [−1, 1]: the cosine of what two heads write, z_h W_O, as a mean over all
    /// positions; 0 where one writes nothing.
    Tensor output_cosine;
    /// The clusters of the pattern distances by average linkage; no merges if a distance is not
    /// finite.
    ClusterTree tree;
    std::vector<std::size_t> order; ///< of the heads, so that those of a cluster are neighbours
    std::string repeats; ///< "10 random sequences of 50 tokens, repeated, seed 0"; empty on prompts

    std::size_t heads() const { return index.size(); }
    LayerHead head(std::size_t place) const { return index.at(place); }
};

/// Compares all pairs of heads. Patterns and outputs of all heads are in memory for some rows at a
/// time. Fails for a prompt of one token, for heads that need stand-ins, as
/// repeatedRandomSequences() and runModel() do, and with ErrorCode::Cancelled on a stop request.
Result<HeadSimilarity> compareHeads(const std::shared_ptr<const Model>& model,
                                    const SimilarityQuestion& question = {},
                                    const Progress& progress = {}, std::stop_token stop = {});

/// Two heads and how similar they are.
struct HeadPair {
    LayerHead a; ///< the earlier one
    LayerHead b;
    double distance = 0.0; ///< of their patterns
    double cosine = 0.0;   ///< of their outputs
};

/// The pairs whose patterns are closer than `distance`, closest first.
std::vector<HeadPair> similarPairs(const HeadSimilarity& similarity, double distance);

} // namespace headscope

#pragma once

#include "core/base/layer_head.h"
#include "core/base/token_id.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace headscope {

/// The matrices that circuits are read from, in the row-vector convention (x · W), with everything
/// linear between the residual stream and the heads folded in. A norm is then only a division by a
/// number per position. As TransformerLens's fold_ln and center_writing_weights:
/// * what reads after a norm with gain g: W → diag(g) · W; after a LayerNorm, which subtracts the
///   mean, also minus the mean of each column;
/// * what writes to a stream that only LayerNorms read: W → W minus the mean of each row.
/// Queries, keys and values through latent vectors (ModelSpec::latent) are products through the
/// latent with the gains of its norm folded in, too: headColumns().
/// Biases are no part of circuits, and W_U is not centred over the vocabulary. The matrices of
/// heads are folded when they are asked for, so that there is no second copy of all of them.
struct FoldedWeights {
    std::shared_ptr<const Model> model;
    /// [d_vocab, d_model], times the embedding scale, projected to d_model; empty where the file
    /// has none.
    Tensor W_E;
    /// [position, d_model] from the first token on; learned positions only, and not where they are
    /// added after the norm.
    Tensor W_pos;
    /// [d_vocab or d_vocab_out, d_model], the transpose of TransformerLens's; empty without logits.
    Tensor W_U;

    const ModelSpec& spec() const { return model->spec; }

    /// Whether tokens can be read through the heads, from W_E to W_U, where they may be classes.
    bool hasVocabulary() const { return !W_E.empty() && !W_U.empty(); }

    /// Which of W_E and W_U is missing: "embedding", "unembedding", "embedding and no unembedding",
    /// or the final norm if W_U is empty for its lack; empty if both are there. A masked-LM head
    /// that leads back to ModelSpec::narrow_embedding has no W_U that reads the stream.
    std::string vocabularyGap() const;

    bool folded = false; ///< whether any norm was folded
    bool exact = true;   ///< whether nothing is left between the stream, the heads and the logits
    std::string note;    ///< what was folded and what was not, for the screen

    Tensor queryWeights(LayerHead head) const;  ///< [d_model, d_head]
    Tensor keyWeights(LayerHead head) const;    ///< [d_model, d_head], the KV group's
    Tensor valueWeights(LayerHead head) const;  ///< [d_model, d_head_v], the KV group's
    Tensor outputWeights(LayerHead head) const; ///< [d_head_v, d_model]

    /// The weights of all heads of a layer, laid out as in AttentionWeights; empty where there are
    /// none.
    Tensor inputWeights(std::size_t layer) const;
    Tensor outputWeights(std::size_t layer) const;
};

/// FoldedWeights::exact and FoldedWeights::note, without folding.
bool foldsExactly(const ModelSpec& spec);
std::string foldingNote(const ModelSpec& spec);

FoldedWeights foldWeights(std::shared_ptr<const Model> model);

/// Rows of FoldedWeights::W_U minus the mean of all of them [token, d_model]: what they read is how
/// much these logits rise above the average logit. For models with logits.
Tensor centredUnembedding(const Model& model, std::span<const TokenId> tokens);

} // namespace headscope

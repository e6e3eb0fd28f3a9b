#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/measure/head_statistics.h"
#include "core/pruning/passages.h"
#include "core/tensor/linear_algebra.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace headscope {

/// How the keys and values of neighbouring KV heads become those of one, which all their query
/// heads read: grouped queries, before anyone trains (Ainslie et al. 2023).
enum class Pooling {
    /// The mean of W_K, W_V and their biases.
    Mean,
    /// The maps of keys and values that lose least, with W_Q and W_O that read them back, and with
    /// the mean of what the values lose in b_O. Of keys least is lost of the scores, over all
    /// queries and keys; of values, of what the heads write. Rotary positions let a key's planes be
    /// turned and scaled only, and a norm after W_K nothing: there keys are pooled by their mean.
    LeastSquares,
};

/// "mean", "least squares"
std::string_view poolingName(Pooling pooling);
/// Mean and LeastSquares.
std::vector<Pooling> poolings();

/// Second moments of queries, keys and values over one text.
struct AttentionMoments {
    struct Layer {
        std::vector<DoubleMatrix> queries; ///< [kv_head] of [d_head, d_head], Σ qᵀ q of its readers
        HeadMoments keys;                  ///< of [kv_head·d_head], before rotary positions
        HeadMoments values;                ///< of [kv_head·d_head_v]
    };
    std::vector<Layer> layers;
};

/// Fails as runBatch() does.
Result<AttentionMoments> attentionMoments(const std::shared_ptr<const Model>& model,
                                          const PassageSet& text, const Progress& progress = {},
                                          const std::stop_token& stop = {});

/// To how many KV heads those of a network can be pooled evenly, descending: 12 → 6, 4, 3, 2, 1.
std::vector<std::size_t> pooledCounts(const ModelSpec& spec);

/// Fails for a network with latent attention, for one with one KV head, for one that has lost
/// heads, and for one that normalises the keys of all heads together, so that pooling some changes
/// all.
Result<void> checkPoolable(const Model& model);

/// The network with `n_kv_heads`, one of pooledCounts(), in every layer. `moments` are read by
/// Pooling::LeastSquares alone. Fails as checkPoolable() does, and for numbers that are not finite.
Result<std::shared_ptr<const Model>> pooledModel(const Model& model, std::size_t n_kv_heads,
                                                 Pooling pooling, const AttentionMoments* moments);

} // namespace headscope

#pragma once

#include "core/base/result.h"
#include "core/interventions/sweep.h"
#include "core/model/model.h"

#include <cstddef>
#include <map>
#include <memory>

namespace headscope {

/// What takes the place of W_O and b_O in a layer that loses heads (core/pruning/compensation.h).
struct OutputRepair {
    Tensor W_O; ///< [kept heads · d_head_v, d_model]; empty: as it was
    Tensor b_O; ///< [d_model]; empty: as it was
};
/// By layer; of layers that lose heads only.
using OutputRepairs = std::map<std::size_t, std::shared_ptr<const OutputRepair>>;

/// Heads to remove, and what is done about them.
struct Cut {
    HeadSet removed; ///< as the model counts its heads now
    OutputRepairs repairs;
};

/// A network without the rows and columns of the removed heads in W_Q, W_K, W_V, W_O and their
/// biases; a KV head goes with the last query head that reads it. Heads that stay keep their
/// numbers (ModelSpec::kept_heads). Fails for heads that the network does not have, and where the
/// queries of all heads are normalised together, so that those that stay would change.
Result<std::shared_ptr<const Model>> smallerModel(const Model& model, const Cut& cut);

/// The network of all heads with the repairs of a cut: with its removed heads at zero it computes
/// what the smaller model does.
std::shared_ptr<const Model> repairedModel(const Model& model, const Cut& cut);

/// What a network costs.
struct ModelCost {
    std::size_t parameters = 0;
    std::size_t kv_per_token = 0; ///< numbers kept for each token of the context
    /// Floating-point operations of one token after a full context: twice each number of the
    /// matrices it is multiplied with, and 2·n_ctx for each number of a query (Kaplan et al. 2020,
    /// table 1, with the unembedding).
    double flops_per_token = 0.0;
};
ModelCost costOf(const Model& model);
/// The cost of the smaller model, computed without making it.
ModelCost costAfter(const Model& model, const Cut& cut);

/// One network that is cut again and again in different ways: only the attention of layers that
/// differ from the last cut is made anew.
class CutModel {
public:
    explicit CutModel(std::shared_ptr<const Model> whole);

    /// The cut network, which the next call changes. The cut must be one that smallerModel() takes.
    std::shared_ptr<const Model> with(const Cut& cut);
    const std::shared_ptr<const Model>& whole() const { return whole_; }

private:
    std::shared_ptr<const Model> whole_;
    std::shared_ptr<Model> model_; ///< made with the first cut
    Cut cut_;                      ///< that model_ shows
};

/// The first layer in which two cuts of one network differ; n_layers when they do not.
std::size_t firstDifference(const Cut& a, const Cut& b, std::size_t n_layers);

/// The places (ModelSpec::headPlace()) of the heads of one layer that stay, ascending.
std::vector<std::size_t> placesLeft(const ModelSpec& spec, const HeadSet& removed,
                                    std::size_t layer);

} // namespace headscope

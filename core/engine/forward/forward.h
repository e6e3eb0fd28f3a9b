#pragma once

#include "core/base/result.h"
#include "core/engine/attention.h"
#include "core/engine/block_plan.h"
#include "core/engine/experts.h"
#include "core/engine/hooks/hook_dispatch.h"
#include "core/engine/rotary.h"
#include "core/engine/run.h"
#include "core/engine/run_item.h"
#include "core/model/model.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace headscope {

/// Sines and cosines for prompts at the same positions.
struct RotaryTables {
    std::optional<RotaryTable> all;    ///< nothing in a network without rotary positions
    std::optional<RotaryTable> window; ///< of layers with a window, where it is another
};

/// One prompt of the batch inside the packed rows.
struct PackedPrompt {
    const RunItem* item = nullptr;
    HookDispatch hooks;
    std::shared_ptr<Run> run;
    PositionRange rows; ///< of every activation; none of known positions
    const RotaryTables* rotary = nullptr;
    /// Heads of the layer at work whose patterns are held in memory because a hook looks at them.
    std::vector<std::size_t> materialised;
    /// [position, n_heads·d_head_v] of the layer at work, rows of its width; where someone looks at
    /// the attention of known positions.
    Tensor known_z;

    std::size_t positions() const { return item->ids.size(); }
    /// The id of the token whose activations are `row` rows below the first row of the prompt.
    TokenId idOf(std::size_t row) const { return item->ids[item->known.positions + row]; }
    bool startIsKnown() const { return item->known.run != nullptr; }
    /// Whether someone looks at the attention of known positions, which is then computed again: in
    /// any layer, or in the one at work.
    bool showsKnown() const {
        return startIsKnown() && !(item->observers.empty() && item->hooks.empty());
    }
    bool showsKnown(std::size_t layer) const {
        return startIsKnown() && (!item->observers.empty() || !materialised.empty() ||
                                  hooks.wants({HookKind::Z, layer}));
    }
    std::size_t earlierTokens() const { return item->earlier ? item->earlier->ids.size() : 0; }
    /// In the text, of its first row.
    std::size_t firstPosition() const { return earlierTokens() + item->known.positions; }
    /// Tokens of the text up to its last.
    std::size_t textLength() const { return earlierTokens() + positions(); }
};

/// One forward pass over a batch and its workspace. T is the number of positions of all prompts
/// together, whose rows are packed one under another: all that works on rows does not know of
/// prompts, and only attention and hooks do. Nothing is allocated between the first layer and the
/// last unless a hook asks for it.
class Forward {
public:
    /// `prompts` are those of `items` in their order, already checked, with rows from 0 on.
    Forward(const Model& model, const Request& request, std::vector<PackedPrompt> prompts,
            std::stop_token stop);

    /// Fills the runs: attention, logits, captures. ErrorCode::Malformed when something is not
    /// finite, ErrorCode::InvalidArgument when an editor wrote what cannot be.
    Result<void> operator()();

    /// With what hooks captured and did.
    std::vector<PackedPrompt>& prompts() { return prompts_; }

private:
    /// Where a norm's hooks sit.
    struct NormPoints {
        HookPoint scale;
        HookPoint normalized;
        HookPoint out; ///< after gain and bias
    };

    // forward.cpp: the blocks and their norms.
    void makeRotary(PackedPrompt& prompt);
    void makeAttention(PackedPrompt& prompt);
    void start();
    void reportLayer(std::size_t layer) const;
    void block(std::size_t layer);
    void take(const BlockStep& step, std::size_t layer);
    void copyResidual();
    void addToResidual();
    void project(MatrixView x, const WeightMatrix& weight, std::span<const float> bias,
                 MutableMatrixView out);
    void normalise(const BlockStep& norm, std::size_t layer, MutableMatrixView x,
                   std::size_t n_heads = 0);
    void normalise(const NormSpec& norm, const NormWeights& weights, NormPoints points,
                   MutableMatrixView x, std::size_t n_heads = 0);
    bool startsAtZ(std::size_t layer) const;
    bool endsAfterPatterns(std::size_t layer) const;
    bool endsAfterAttention(std::size_t layer) const;
    MutableMatrixView valueOf(BlockValue value);
    MutableMatrixView rows(Tensor& x) const { return x.matrix().rowRange(0, rows_); }

    // forward.cpp: what hooks see of the packed rows.
    bool wants(HookPoint point) const;
    bool wantsAny(std::span<const HookKind> kinds, std::size_t layer) const;
    bool readsPastLastZ() const;
    void fire(HookPoint point, MutableMatrixView x, std::size_t n_heads = 0);
    static void fire(PackedPrompt& prompt, HookPoint point, MutableMatrixView x,
                     std::size_t n_heads);

    // forward_embedding.cpp: from tokens to the residual stream.
    void embed();
    Tensor tokenEmbedding() const;
    std::size_t countedBefore(const PackedPrompt& prompt) const;
    Tensor positionEmbedding() const;
    Tensor segmentEmbedding() const;
    template <class Choose>
    Tensor rowsOf(const WeightTensor& table, Choose choose) const;

    // forward_embedding.cpp: from the residual stream to logits.
    void unembed();
    void keepWantedRows();
    void computeLogits(MatrixView x);
    void finishLogits(std::size_t first_row, MutableMatrixView logits);

    // forward.cpp: MLPs.
    void mlp(std::size_t layer);
    void mlpRows(std::size_t layer, MatrixView x, MutableMatrixView out);
    static void activate(Activation activation, MutableMatrixView x);
    /// The first rows of an MLP's workspace, packed for the width that is asked for.
    static MutableMatrixView panelOf(Tensor& workspace, std::size_t count, std::size_t width) {
        return {workspace.data(), count, width, width};
    }

    // forward_experts.cpp
    void makeExperts();
    void experts(std::size_t layer);
    bool route(std::size_t layer);
    void addExpert(const GatedMlp& expert, std::span<const ExpertUse> uses);
    void addSharedExpert(const ExpertsWeights& weights);
    void gatedMlp(const GatedMlp& weights, MatrixView x, MutableMatrixView out);

    // forward_qkv.cpp: queries, keys and values of all heads.
    bool splitsInputs(std::size_t layer) const;
    void projectQkv(std::size_t layer);
    void projectQkvWithPositions(std::size_t layer);
    void projectSplitInputs(std::size_t layer);
    void projectInputs(HookPoint point, const Tensor& attn_in, std::span<const std::size_t> heads,
                       MutableMatrixView out);
    void normaliseQueriesAndKeys(std::size_t layer);
    void normaliseHeads(const NormWeights& weights, NormPoints points, MutableMatrixView heads);
    void clip(MutableMatrixView heads) const;
    void rotate(std::size_t layer);
    void fireValues(std::size_t layer);
    MutableMatrixView qkv(std::size_t layer);
    MutableMatrixView queries(std::size_t layer);
    MutableMatrixView keys(std::size_t layer);
    MutableMatrixView values(std::size_t layer);

    // forward_latent.cpp: the same through latent vectors.
    void projectThroughLatents(std::size_t layer);
    void projectQueriesThroughLatent(std::size_t layer);
    void projectSharedKeys(std::size_t layer);
    void projectOfHead(HookPoint input, std::size_t place, MatrixView x, MutableMatrixView out);
    MatrixView latentOfHead(MatrixView x, const WeightTensor& W, const Tensor& bias,
                            const NormWeights& norm);
    void refuseLatentHooks(std::size_t layer);
    MutableMatrixView latentRows(std::size_t width) {
        return {latent_.data(), rows_, width, width};
    }

    // forward_attention.cpp: attention of a layer, and what its heads add.
    void attention(std::size_t layer);
    void attendWithoutHeads(std::size_t layer);
    void takeGivenZ(std::size_t layer);
    void fireZ(std::size_t layer);
    void projectOut(std::size_t layer);
    void projectHeadResults(std::size_t layer);
    MutableMatrixView zRows(std::size_t layer);

    // forward_attention.cpp: attention itself, prompt by prompt and head by head.
    void mixHeads(std::size_t layer);
    void mixMaterialised(PackedPrompt& prompt, std::size_t layer);
    void keepQueriesAndKeys(PackedPrompt& prompt, std::size_t layer);
    void keep(const PackedPrompt& prompt, MatrixView computed, Tensor LayerAttention::*part,
              std::size_t layer);
    void keepKnownSums(PackedPrompt& prompt, std::size_t layer);
    void addToEarlier(PackedPrompt& prompt, std::size_t layer);
    HeadInput headInput(const PackedPrompt& prompt, LayerHead head);
    std::span<RowLse> lseOf(const PackedPrompt& prompt, std::size_t layer, std::size_t place);
    MutableMatrixView headOf(MutableMatrixView heads, const PackedPrompt& prompt, std::size_t place,
                             std::size_t width) const;
    MutableMatrixView zOf(PackedPrompt& prompt, std::size_t layer);
    MutableMatrixView zOf(PackedPrompt& prompt, LayerHead head);
    bool zIsRead(std::size_t layer) const;

    const ModelSpec& spec_;
    const Weights& weights_;
    const Request& request_;
    BlockPlans plans_;
    std::vector<PackedPrompt> prompts_;
    std::stop_token stop_;
    std::size_t end_layer_;
    bool starts_at_z_;
    bool hooked_;                  ///< some prompt has hooks
    bool goes_behind_blocks_;      ///< someone reads logits, or a final norm
    bool finite_ = true;           ///< nothing NaN or infinite was seen
    std::optional<Error> refusal_; ///< of what an editor wrote
    std::size_t rows_;             ///< T; at the end perhaps only those whose logits are read
    bool only_wanted_rows_ = false;
    std::size_t panel_rows_; ///< that the MLP works on at once
    /// By the positions of the prompt in its text.
    std::map<std::pair<std::size_t, std::size_t>, RotaryTables> rotary_;

    Tensor residual_;             ///< [T, d_model]
    Tensor input_;                ///< [T, d_model], what a branch reads
    Tensor positions_;            ///< [T, d_model], PositionKind::Shortformer
    Tensor qkv_;                  ///< [T, columns of W_QKV], rows of the layer's width
    Tensor latent_;               ///< [T, width of the wider latent], networks with latents
    Tensor z_;                    ///< [T, n_heads·d_head_v], rows of the layer's width
    Tensor out_;                  ///< [T, d_model], of attention or MLP
    Tensor mlp_pre_;              ///< [panel, width of the widest MLP]
    Tensor mlp_post_;             ///< likewise, gated MLPs
    Tensor router_logits_;        ///< [T, expert], networks with experts
    Tensor chosen_;               ///< [T, choice], likewise
    Tensor expert_weights_;       ///< [T, choice], likewise
    Tensor choice_scores_;        ///< see choiceWorkspace()
    Tensor shared_gate_;          ///< [T, 1], likewise
    Tensor expert_in_;            ///< [panel, d_model], likewise
    Tensor expert_out_;           ///< [panel, d_model], likewise
    std::vector<ExpertUse> uses_; ///< of the expert at work
    Tensor blocks_;               ///< [thread, block], scores of the rows a thread works on
    Tensor dense_heads_;      ///< [T, n_heads·d_head], of networks that normalise queries and keys
    std::vector<RowLse> lse_; ///< [prompt·head, longest prompt], where the run keeps none
    std::vector<float> scale_; ///< of the norm at work, one per row
};

} // namespace headscope

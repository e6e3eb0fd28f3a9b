#pragma once

#include "core/attribution/stream_parts.h"
#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/block_plan.h"
#include "core/engine/head_mask.h"
#include "core/engine/hooks.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace headscope {

/// The heads and the run that are asked about.
struct WritingQuestion {
    TokenIds ids;
    std::vector<LayerHead> heads;
    HeadMask ablated = {}; ///< in this run, by zero or mean
};

/// A token whose logit a head moves.
struct WrittenToken {
    TokenId id = 0;
    float change = 0.0f; ///< of the logit, less the mean over the vocabulary
};

/// What a head does to the logits of one position.
struct HeadWrites {
    std::vector<WrittenToken> raised;  ///< the largest changes, largest first; all above 0
    std::vector<WrittenToken> lowered; ///< the smallest, smallest first; all below 0
};

/// What single heads add to all logits of a position directly: z_h W_O read through every norm on
/// the way, held at the scale it has in this run, and the unembedding. It is the part that
/// attributeLogit() gives a head, for the whole vocabulary at once (direct logit attribution,
/// Elhage et al. 2021). Immutable and thread-safe once made; a position is computed when asked for.
class HeadWriting {
public:
    /// Fails as attributeLogit() does, and for heads that the network lacks.
    static Result<HeadWriting> read(const std::shared_ptr<const Model>& model,
                                    const WritingQuestion& question, std::stop_token stop = {});

    /// The same of a run that is there.
    static Result<HeadWriting> of(const StreamRun& run, const std::vector<LayerHead>& heads);

    const WritingQuestion& question() const { return question_; }

    /// [d_vocab], what the head adds to each logit; `index` counts WritingQuestion::heads.
    std::vector<float> logits(std::size_t index, std::size_t position) const;

    /// The tokens that it moves most, `count` up and down. The mean over the vocabulary is taken
    /// off, since what moves all logits alike changes no probability.
    HeadWrites strongest(std::size_t index, std::size_t position, std::size_t count) const;

private:
    using Direction = std::vector<double>; ///< [d_model]

    HeadWriting(std::shared_ptr<const Model> model, WritingQuestion question);
    static Result<void> check(const Model& model, const WritingQuestion& question);
    Direction throughOutput(std::size_t index, std::size_t position) const;
    Direction throughLaterNorms(LayerHead head, std::size_t position, Direction written) const;
    double scale(HookPoint point, std::size_t position) const;

    std::shared_ptr<const Model> model_;
    WritingQuestion question_;
    BlockPlans plans_;
    std::vector<Tensor> z_;                          ///< of each head, [position, d_head_v]
    std::map<HookPoint, std::vector<float>> scales_; ///< of each norm, [position]
};

} // namespace headscope

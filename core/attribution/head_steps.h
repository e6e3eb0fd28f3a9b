#pragma once

#include "core/attribution/head_writing.h"
#include "core/attribution/score_row.h"
#include "core/attribution/stream_parts.h"
#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/engine/hooks.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// Which query of which head is followed.
struct StepsQuestion {
    LayerHead head;
    std::size_t query = 0;
    /// The softmax is of score / temperature: what if, for 1 the network's own. Above 0.
    double temperature = 1.0;
};

/// What becomes of the product of the query with one key. A step that the network does not take
/// leaves the number as it is.
struct KeySteps {
    double product = 0.0;     ///< q · k
    double scaled = 0.0;      ///< times ModelSpec::attention_scale
    double capped = 0.0;      ///< after the soft-cap
    double score = 0.0;       ///< with the bias by distance
    double exponential = 0.0; ///< exp((score − HeadSteps::largest) / temperature)
    double weight = 0.0;      ///< exponential / HeadSteps::sum
};

/// What one head computes for one query, step by step (Vaswani et al. 2017), each number as the
/// hooks of the run have it.
struct HeadSteps {
    StepsQuestion question;
    std::vector<double> stream = {}; ///< [d_model], what the residual stream holds at the query
    std::vector<double> read = {}; ///< [d_model], what W_Q is multiplied by: the stream, normalised
    bool has_norm = false;         ///< between the two
    double latent_scale = 1.0;     ///< of the norm of the latent vector that queries are made of
    /// Query and keys before and after the rotation, and the products dimension by dimension, with
    /// the scale. Its positions are the keys that the query sees; the mask hides all others.
    QueryDimensions dimensions;
    double scale = 1.0;
    double softcap = 0.0; ///< 0: none
    bool has_distance = false;
    std::vector<KeySteps> keys = {};      ///< one for each key that the query sees
    double largest = 0.0;                 ///< of the scores and the sink
    std::optional<double> sink = {};      ///< the score of a learned sink
    double sink_exponential = 0.0;        ///< exp((sink − largest) / temperature); 0: no sink
    double sum = 0.0;                     ///< of the exponentials, the sink's with them
    DoubleMatrix values = {};             ///< [key, d_head_v]
    std::vector<double> z = {};           ///< [d_head_v], Σ weight · value
    std::vector<std::size_t> heads = {};  ///< of the layer, as they are put side by side
    DoubleMatrix all_z = {};              ///< [head, d_head_v]: the concatenation
    std::vector<double> head_output = {}; ///< [d_model], z · W_O of this head
    /// [d_model], what attention of all heads adds to the stream; empty with another temperature
    /// than 1.
    std::vector<double> layer_output = {};
    /// The query heads that read the same keys and values, this one among them.
    std::vector<LayerHead> group = {};
    /// What the head does to the logits at the query, directly; none with another temperature than
    /// 1, and for networks whose logits are no linear readout of the stream.
    std::optional<HeadWrites> writes = {};
    /// Whether the head is ablated in this run: `all_z` and what follows have what is put in place
    /// of z, at every temperature.
    bool is_ablated = false;

    bool isWhatIf() const { return question.temperature != 1.0; }
};

/// A run that keeps what the steps of the heads of one layer are read from.
class StepsRun {
public:
    /// Fails as StreamRun::read() does, and for a layer that is not there.
    static Result<StepsRun> read(const std::shared_ptr<const Model>& model, StreamQuestion question,
                                 std::size_t layer, std::stop_token stop = {});

    const StreamRun& stream() const { return stream_; }
    const Model& model() const { return stream_.model(); }
    std::size_t layer() const { return layer_; }

    /// Fails for another layer, for heads and queries that are not there, and for a temperature
    /// that is not above 0.
    Result<HeadSteps> steps(const StepsQuestion& question) const;

private:
    StepsRun(StreamRun stream, std::size_t layer) : stream_(std::move(stream)), layer_(layer) {}

    StreamRun stream_;
    std::size_t layer_;
};

/// One term of a number that is a row times a column.
struct ProductTerm {
    std::size_t index = 0; ///< in the row
    double factor = 0.0;   ///< of the row
    double weight = 0.0;   ///< of the column

    double term() const { return factor * weight; }
};

/// How one number comes about: Σ factor · weight + bias.
struct WrittenProduct {
    std::vector<ProductTerm> terms = {}; ///< of the largest size first
    double bias = 0.0;
    double value = 0.0; ///< of all terms and the bias
};

/// A dimension of the query, HeadSteps::read · W_Q + b_Q; through a latent vector W_Q is the
/// product of both matrices, with the norm between them held at its scale. Before the norm of
/// queries, a limit, growth and rotation, where the network has them. `index` is below d_head.
WrittenProduct writtenQuery(const Model& model, const HeadSteps& steps, std::size_t index);
/// A dimension of HeadSteps::head_output, z · W_O. `index` is below d_model.
WrittenProduct writtenOutput(const Model& model, const HeadSteps& steps, std::size_t index);

} // namespace headscope

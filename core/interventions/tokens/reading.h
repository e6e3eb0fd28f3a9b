#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/run_item.h"
#include "core/interventions/runs/kept_run.h"
#include "core/interventions/token_dependence.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <variant>
#include <vector>

namespace headscope {

/// What the network has at hook_embed for these tokens, [position, d_model].
Tensor tokenEmbeddings(const Model& model, const TokenIds& ids);

/// The same for a baseline, [1, d_model].
Tensor baselineEmbedding(const Model& model, const TokenBaseline& baseline);

/// `from` + share · (to − from) at every position. from [position, d_model], to the same or
/// [1, d_model], for all positions alike.
Tensor onTheWay(const Tensor& from, const Tensor& to, double share);

/// A reading of one prompt: measures it in runs, and knows its slope at the embedding.
class BoundReading {
public:
    /// Fails when it does not fit the network or the prompt.
    static Result<BoundReading> make(const std::shared_ptr<const Model>& model,
                                     const TokenQuestion& question);

    /// TokenDependence::seen
    std::size_t seen() const;

    /// Reads the prompt itself, which is the reference of Kl. Must be called before the others.
    Result<double> ofPrompt(const std::stop_token& stop);

    /// Reads runs of the prompt with these edits.
    Result<std::vector<double>> measure(std::vector<HookSet> edits, const RunsFinished& finished,
                                        const std::stop_token& stop) const;

    /// d value / d embed [position, d_model] with `embed` at hook_embed.
    Result<Tensor> slope(Tensor embed, const std::stop_token& stop) const;

private:
    BoundReading(const std::shared_ptr<const Model>& model, TokenIds ids,
                 std::variant<PromptMetric, AttentionEntry> reading)
        : model_(model), ids_(std::move(ids)), reading_(std::move(reading)) {}
    Result<std::vector<double>> measureEntry(const AttentionEntry& entry,
                                             std::vector<HookSet> edits,
                                             const RunsFinished& finished,
                                             const std::stop_token& stop) const;

    std::shared_ptr<const Model> model_;
    TokenIds ids_;
    std::variant<PromptMetric, AttentionEntry> reading_;
};

} // namespace headscope

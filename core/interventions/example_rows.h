#pragma once

#include "core/base/layer_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/engine/head_mask.h"
#include "core/heads/examples.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// −ln p of the token after a query, nats: what a head does to it where it looks somewhere.
struct NextTokenEffect {
    double loss = 0.0;    ///< of the whole network
    double ablated = 0.0; ///< with one head ablated alone

    double change() const { return ablated - loss; } ///< above 0: the head helps
};

/// Both networks run the sequence up to the query. Nothing where no next token is predicted: in
/// bidirectional networks, in those that predict classes, and at the last position. Fails as
/// runBatch() does, for a kind that needs other sequences, and with ErrorCode::Cancelled.
Result<std::optional<NextTokenEffect>> nextTokenEffect(const std::shared_ptr<const Model>& model,
                                                       const InputSequence& sequence,
                                                       std::size_t query, LayerHead head,
                                                       AblationKind kind,
                                                       const std::stop_token& stop = {});

/// What one head's examples are shown with.
struct ExampleRows {
    LayerHead head;
    ExampleList list;
    /// By example, where it was asked for.
    std::vector<std::optional<NextTokenEffect>> effects = {};
};

/// Fails for a model that predicts no next token, which no head could have an effect on.
Result<void> checkNextTokenEffect(const Model& model);

/// The examples of these heads; none: of all. `effect`: the ablation whose effect on the next token
/// of each example is measured. Fails as nextTokenEffect() does.
Result<std::vector<ExampleRows>>
exampleRows(const std::shared_ptr<const Model>& model, std::span<const InputSequence> sequences,
            const CorpusScan& scan, std::span<const LayerHead> heads,
            const ExampleQuestion& question, std::optional<AblationKind> effect,
            const Progress& progress = {}, const std::stop_token& stop = {});

/// The tokens up to `before` in front of the row's query and `behind` it, joined; "…" where more
/// follows.
std::string exampleContext(const HeadExample& example, std::size_t before, std::size_t behind);

/// One row per example: head, interval, weight, query and key with their tokens (nothing where the
/// weight is 0), keys (in JSON, the largest of the row), sequence, text; where effects were
/// measured next_token, loss, loss_ablated, change. Fields: input; in JSON heads with histogram and
/// means. The rows are "examples".
Table exampleTable(const std::vector<ExampleRows>& heads, const std::string& input,
                   const Provenance& provenance);

} // namespace headscope

#pragma once

#include "core/base/layer_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/heads/example.h"
#include "core/interventions/next_token_effect.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

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

} // namespace headscope

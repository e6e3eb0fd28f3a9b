#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/export/call.h"
#include "core/interventions/metric.h"
#include "core/interventions/path_patching.h"
#include "core/tensor/tensor.h"
#include "ui/document/prompt_run.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <cstddef>
#include <optional>
#include <stop_token>

namespace headscope::ui {

/// What is taken from one prompt and put into the other: an activation, or what flows from single
/// heads straight to the logits or to what one head reads.
struct PatchWhat {
    QString name; ///< "Residual stream before the layer"
    /// The kind of an activation; none: paths.
    std::optional<HookKind> hook;
    /// For paths, what the receiving head reads; none: the logits.
    std::optional<AttentionInput> input;

    bool hasHeads(const ModelSpec& spec) const { return !hook || headAxis(spec, *hook); }
    bool hasPositions() const { return hook.has_value(); }
};

/// What can be patched in this network, in the order of the data through a block.
QList<PatchWhat> patchChoices(const ModelSpec& spec);

/// Layer by layer, one of these at a time.
enum class PatchBy { Position, Head };

struct PatchAsk {
    PatternSource compared; ///< A and B, which patchRefusal() takes
    PatchWhat what;
    PatchBy by = PatchBy::Position;
    bool into_b = true; ///< from A into B; else from B into A
    LayerHead receiver; ///< of paths into a head
    Metric metric;
    EffectMethod method = EffectMethod::Exact;
};

/// "A" and "B", or the other way round: the prompt that gives activations, and the one that gets
/// them.
QString donorName(const PatchAsk& ask);
QString recipientName(const PatchAsk& ask);

/// The answer, on a grid of layers and positions or heads.
struct PatchReading {
    PatchAsk asked;
    Tensor shares; ///< [layer, column] 0 as the prompt was, 1 as the other is; NaN where none is
    Tensor values; ///< [layer, column], of the metric
    double from = 0.0; ///< the metric of the prompt that is patched, share 0
    double to = 0.0;   ///< and of the one whose activations it gets, share 1
    QString note;      ///< why there are no shares; empty where there are
    Table table;       ///< for files
};

/// Why nothing can be patched between two runs, one sentence; empty when it can.
QString patchRefusal(const PatternSource& compared);

/// The logit difference of what the two prompts predict where they differ in that; of what A
/// predicts first and second where they do not. Loss where nothing is predicted, and without a next
/// token the KL divergence.
Metric suggestedMetric(const PatternSource& compared);

/// Called from worker threads. Fails as patchActivations() and patchPaths() do.
Result<PatchReading> readPatch(const PatchAsk& ask, const Progress& progress,
                               const std::stop_token& stop);

/// What patches the same on the command line. Fails as patchCall() and pathCall() do.
Result<Call> patchCallOf(const LoadedModel& loaded, const PatchAsk& ask);

/// The names of the columns: "·Mary", "5", for keys and values of grouped queries "KV 1".
QStringList patchColumns(const PatchAsk& ask);

/// "·Mary − ·Anna", "loss"
QString metricTitle(const Model& model, const Metric& metric);

/// "Residual stream before the layer, from A into B · logit of ·Mary − ·Anna"
QString patchTitle(const PatchAsk& ask);

/// "layer 3 · 14 ·to · 0.620 of the way from B (−2.312) to A (4.051): 1.633"
QString patchCellText(const PatchReading& reading, std::size_t layer, std::size_t column);

} // namespace headscope::ui

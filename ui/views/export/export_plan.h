#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/heads/head_score.h"
#include "core/model/model.h"
#include "ui/document/prompt_run.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/views/pattern/shown_view.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <string_view>

namespace headscope::ui {

class Document;

enum class ExportWhat { Figure, Head, Layer, AllHeads, Scores, WhyParts, WhyTrace, InsideSteps };

/// Values to write, taken when the user asked for them.
struct ExportPlan {
    ExportWhat what = ExportWhat::Head;
    LayerHead head;
    std::shared_ptr<const Model> model;
    PatternSource source;                     ///< scores on repeats and sentences need none
    std::shared_ptr<const HeadScores> scores; ///< null: not measured
    bool scores_of_prompt = false;
    Thresholds thresholds;
    ShownView view;              ///< what figure and numbers of heads are of
    bool square_flipped = false; ///< the model was read with its matrices transposed
};

/// What a provenance says of a model that was read so.
inline constexpr std::string_view kSquaresTransposed = "square matrices read transposed";

/// What the document holds now; it must have a model.
ExportPlan exportPlan(const Document& document, ExportWhat what, const ShownView& view = {});

/// Extensions that can hold it, the usual one first: ".svg", ".npz".
QStringList extensionsFor(const ExportPlan& plan);

/// "gpt2-mini-6l_1a2b3c4d_L04H01_pattern.npz"
QString exportFileName(const ExportPlan& plan, const QString& extension);

/// What the file will hold, in one line.
QString exportSummary(const ExportPlan& plan);

/// Writes everything but figures; called from worker threads.
Result<void> writeExport(const ExportPlan& plan, const QString& path);

} // namespace headscope::ui

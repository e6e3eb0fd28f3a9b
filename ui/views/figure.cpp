#include "ui/views/figure.h"

#include "core/engine/head_mask.h"
#include "core/heads/score_heads.h"
#include "core/loading/load_model.h"
#include "ui/document/prompt_run.h"
#include "ui/document/sample_models.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/widgets/heatmap.h"

#include <QCoreApplication>

#include <utility>

namespace headscope::ui {
namespace {

struct FigureText {
    Q_DECLARE_TR_FUNCTIONS(FigureText)
};

Result<LayerHead> headOf(const QString& text, const ModelSpec& spec) {
    if (const auto heads = spec.allHeads(); text.isEmpty() && !heads.empty())
        return heads.front();
    const auto mask = parseHeadMask(text.toStdString(), spec, AblationKind::Zero);
    if (!mask)
        return mask.error();
    if (mask->size() != 1)
        return Error{
            ErrorCode::InvalidArgument,
            FigureText::tr("A picture shows one head, such as --head 4.1, and “%1” names %2.")
                .arg(text, QString::number(mask->size()))
                .toStdString()};
    return mask->heads().begin()->first;
}

} // namespace

Result<void> renderFigure(const FigureRequest& request) {
    const QString path = request.model.isEmpty() ? firstSampleModel() : request.model;
    const auto model = loadModel(path.toStdString());
    if (!model)
        return model.error();
    const auto head = headOf(request.head, (*model)->spec);
    if (!head)
        return head.error();
    const QString text = request.text.value_or(defaultPrompt(**model));
    const auto result = runPrompt({*model, text.toStdString(), BosMode::Auto, {}, nullptr}, {});
    if (!result)
        return result.error();

    // A model that cannot be scored on random repeats has a title without scores.
    const auto scores = scoreHeads(*model);
    const PatternSource source{*result, nullptr, nullptr, {}};
    const QString title = patternTitle(source, *head, scores ? &*scores : nullptr, Thresholds());
    Heatmap heatmap;
    heatmap.setRange(std::pair{0.0, 1.0});
    heatmap.setContent(patternContent(source, attentionMap((*result)->masked, *head), title));
    return heatmap.saveFigure(request.path, kFigureSize);
}

} // namespace headscope::ui

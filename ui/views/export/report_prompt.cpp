#include "ui/views/export/report_prompt.h"

#include "core/model/prompt.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/views/prompt/prompt_text.h"
#include "ui/widgets/token_strip.h"

#include <QCoreApplication>
#include <QStringList>

#include <string>
#include <vector>

namespace headscope::ui {
namespace {

struct PromptReportText {
    Q_DECLARE_TR_FUNCTIONS(PromptReportText)
};

/// Why the prompt has said nothing.
Error noRun(const Document& document) {
    const std::string& cannot_run = document.model()->spec.cannot_run;
    if (!cannot_run.empty())
        return {ErrorCode::NotFound, cannot_run};
    const QString error = document.promptRunner().error();
    return {ErrorCode::NotFound,
            (error.isEmpty() ? PromptReportText::tr("The prompt has not been run yet.") : error)
                .toStdString()};
}

QString bosText(const Prompt& prompt) {
    return (prompt.has_bos ? PromptReportText::tr("The prompt starts with BOS. %1")
                           : PromptReportText::tr("The prompt does not start with BOS. %1"))
        .arg(toQString(prompt.bos_reason));
}

/// The loss of the whole model and, where heads are ablated, of the model with them ablated.
QString meanLossText(const RunResult& result) {
    if (result.mask.empty() || !result.full_loss || !result.masked_loss)
        return lossText(result);
    return PromptReportText::tr("Loss %1 nats per token in the whole model, %2 with heads ablated "
                                "(%3)")
        .arg(lossNumber(*result.full_loss), lossNumber(*result.masked_loss),
             signedNats(*result.masked_loss - *result.full_loss));
}

QString predictionCaption(const RunResult& result) {
    const Model& model = *result.full->model;
    if (model.spec.predictsClasses())
        return PromptReportText::tr("Most probable classes, read at position %1")
            .arg(*result.predicted_at);
    return model.spec.causal ? PromptReportText::tr("Most probable next tokens")
                             : PromptReportText::tr("Most probable tokens at position %1")
                                   .arg(*result.predicted_at);
}

Result<Table> predictionTable(const RunResult& result) {
    const Model& model = *result.full->model;
    if (!result.predicted_at)
        return Error{ErrorCode::NotFound, noPredictionText(model).toStdString()};
    const auto column = [](const char* key, const QString& title) {
        return Column{.key = key, .title = title.toStdString()};
    };
    const auto token = [&model](TokenId id) { return shownOutput(model, id).toStdString(); };
    Table table;
    table.caption = predictionCaption(result).toStdString();
    table.columns = {column("token", PromptReportText::tr("token"))};
    if (result.mask.empty()) {
        table.columns.push_back(column("probability", PromptReportText::tr("probability")));
        for (const Prediction& prediction : result.predictions)
            table.rows.push_back({token(prediction.id), prediction.probability});
        return table;
    }
    table.columns.push_back(column("before", PromptReportText::tr("whole model")));
    table.columns.push_back(column("after", PromptReportText::tr("heads ablated")));
    table.columns.push_back(column("change", PromptReportText::tr("change")));
    for (const PredictionChange& change : result.prediction_changes)
        table.rows.push_back(
            {token(change.id), change.before, change.after, change.after - change.before});
    return table;
}

/// "2 heads ablated: L4 H1, L4 H2. …": which heads, how, and what that does to the outputs.
std::vector<std::string> ablationSentences(const RunResult& result) {
    const HeadMask& mask = result.mask;
    if (mask.empty())
        return {};
    QStringList names;
    for (const auto& ablated : mask.heads())
        names << headName(ablated.first);
    const bool is_zero = mask.heads().begin()->second == AblationKind::Zero;
    std::vector<std::string> sentences{
        PromptReportText::tr("%1: %2. Outputs of ablated heads are replaced by %3.")
            .arg(ablatedText(mask), names.join(QStringLiteral(", ")),
                 is_zero ? PromptReportText::tr("zeros")
                         : PromptReportText::tr("their means over the prompt"))
            .toStdString()};
    if (result.divergence)
        sentences.push_back(
            (isDivergenceOfLastToken(result)
                 ? PromptReportText::tr("KL divergence from the whole model where its prediction "
                                        "is read: %1 nats.")
                 : PromptReportText::tr("KL divergence from the whole model, mean over the "
                                        "positions of the prompt: %1 nats."))
                .arg(lossNumber(*result.divergence))
                .toStdString());
    return sentences;
}

} // namespace

Result<ReportPrompt> reportPrompt(const Document& document) {
    const auto result = document.promptRunner().result();
    if (!result)
        return noRun(document);
    ReportPrompt part{promptText(result->prompt),
                      bosText(result->prompt).toStdString(),
                      {},
                      {},
                      predictionTable(*result),
                      ablationSentences(*result)};
    for (const TokenChip& chip : tokenChips(*result))
        part.tokens.push_back({chip.text.toStdString(), chip.special});
    if (const QString unknown = unknownText(*result); !unknown.isEmpty())
        part.outcome.push_back(unknown.toStdString());
    part.outcome.push_back(meanLossText(*result).toStdString());
    return part;
}

} // namespace headscope::ui

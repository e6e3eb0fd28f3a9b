#include "ui/views/prompt/prompt_text.h"

#include "core/model/prompt.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>

namespace headscope::ui {
namespace {

struct PromptText {
    Q_DECLARE_TR_FUNCTIONS(PromptText)
};

bool isSpecial(const Model& model, TokenId id) {
    return model.spec.bos_token == id || (model.tokenizer && model.tokenizer->isSpecial(id));
}

QString pieceOf(const Model& model, TokenId id) {
    return model.tokenizer ? toQString(displayPiece(model.tokenizer->piece(id)))
                           : QStringLiteral("⟨%1⟩").arg(id);
}

QString chipTooltip(const RunResult& result, std::size_t position) {
    QString text =
        PromptText::tr("position %1 · id %2").arg(position).arg(result.prompt.ids[position]);
    if (position > 0 && position - 1 < result.token_losses.size())
        text += QStringLiteral(" · ") +
                PromptText::tr("loss %1 nats").arg(scoreText(result.token_losses[position - 1]));
    return text;
}

/// Why there is nothing to predict.
QString noPredictionText(const Model& model) {
    if (model.spec.output == OutputHead::None)
        return PromptText::tr(
            "This model has no unembedding to predict with: it shows attention only.");
    if (model.spec.mask_token && model.tokenizer)
        return PromptText::tr("Write %1 where the model should fill in a token.")
            .arg(toQString(model.tokenizer->token(*model.spec.mask_token).value_or("[MASK]")));
    return PromptText::tr("This model reads both ways and predicts no next token.");
}

} // namespace

QVector<TokenChip> tokenChips(const RunResult& result) {
    const Model& model = *result.full->model;
    QVector<TokenChip> chips;
    chips.reserve(result.shown_pieces.size());
    for (std::size_t position = 0; position < result.prompt.ids.size(); ++position) {
        TokenChip chip;
        chip.text = result.shown_pieces[static_cast<qsizetype>(position)];
        chip.tooltip = chipTooltip(result, position);
        chip.special = isSpecial(model, result.prompt.ids[position]);
        chips.append(chip);
    }
    return chips;
}

QString predictionText(const RunResult& result) {
    const Model& model = *result.full->model;
    if (!result.predicted_at)
        return noPredictionText(model);
    QString text =
        model.spec.causal
            ? PromptText::tr("next:")
            : PromptText::tr("at %1:").arg(pieceOf(model, *model.spec.mask_token).toHtmlEscaped());
    for (const Prediction& prediction : result.predictions)
        text += QStringLiteral("&nbsp;&nbsp; <b>%1</b>&nbsp;%2")
                    .arg(pieceOf(model, prediction.id).toHtmlEscaped(),
                         percentText(prediction.probability).toHtmlEscaped());
    return text;
}

QString bosTooltip(const RunResult& result, BosMode mode) {
    const QString state = result.prompt.has_bos
                              ? PromptText::tr("The prompt starts with BOS.")
                              : PromptText::tr("The prompt does not start with BOS.");
    const QString chosen = mode == BosMode::Auto
                               ? PromptText::tr("As the model was trained (automatic).")
                               : PromptText::tr("Chosen by you.");
    return QStringLiteral("<b>%1</b> %2<br>%3<br>%4")
        .arg(state, chosen, toQString(result.prompt.bos_reason).toHtmlEscaped(),
             PromptText::tr("Click to change; the arrow offers all choices."));
}

} // namespace headscope::ui

#include "ui/views/prompt/prompt_text.h"

#include "core/model/prompt.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

struct PromptText {
    Q_DECLARE_TR_FUNCTIONS(PromptText)
};

bool isSpecial(const Model& model, TokenId id) {
    return model.spec.bos_token == id || (model.tokenizer && model.tokenizer->isSpecial(id));
}

QString chipTooltip(const RunResult& result, std::size_t position) {
    QString text =
        PromptText::tr("position %1 · id %2").arg(position).arg(result.prompt.ids[position]);
    if (!result.prompt.segments.empty())
        text += QStringLiteral(" · ") +
                PromptText::tr("segment %1").arg(result.prompt.segments[position]);
    if (position == 0 || position - 1 >= result.token_losses.size())
        return text;
    text += QStringLiteral(" · ") +
            PromptText::tr("loss %1 nats").arg(scoreText(result.token_losses[position - 1]));
    if (!result.mask.empty())
        text += QStringLiteral(", ") +
                PromptText::tr("%1 in the whole model")
                    .arg(scoreText(result.watched_full->token_losses[position - 1]));
    return text;
}

/// "next:", "at [MASK]:", which of several masks it is, or where classes are read.
QString predictionPlace(const RunResult& result) {
    const Model& model = *result.full->model;
    if (model.spec.predictsClasses())
        return PromptText::tr("classes at position %1:").arg(*result.predicted_at);
    if (model.spec.causal)
        return PromptText::tr("next:");
    const QString mask = shownToken(model, *model.spec.mask_token);
    const auto masks = std::ranges::count(result.prompt.ids, *model.spec.mask_token);
    return masks == 1
               ? PromptText::tr("at %1:").arg(mask)
               : PromptText::tr("at the first of %1 %2, position %3:")
                     .arg(QString::number(masks), mask, QString::number(*result.predicted_at));
}

constexpr double kShortestFullBar = 0.1; // nats

} // namespace

QString shownToken(const Model& model, TokenId id) {
    return model.tokenizer ? toQString(displayPiece(model.tokenizer->piece(id)))
                           : QStringLiteral("⟨%1⟩").arg(id);
}

QString shownOutput(const Model& model, TokenId id) {
    return model.spec.predictsClasses() ? toQString(outputPiece(model, id)) : shownToken(model, id);
}

std::vector<double> lossChangeBars(const RunResult& result) {
    std::vector<double> bars = tokenLossChanges(result);
    if (bars.empty())
        return bars;
    double full = kShortestFullBar;
    for (const double change : bars)
        full = std::max(full, std::abs(change));
    for (double& change : bars)
        change /= full;
    bars.insert(bars.begin(), 0.0); // the first token is not predicted
    return bars;
}

QVector<TokenChip> tokenChips(const RunResult& result) {
    const Model& model = *result.full->model;
    QVector<TokenChip> chips;
    chips.reserve(result.shown_pieces.size());
    for (std::size_t position = 0; position < result.prompt.ids.size(); ++position) {
        TokenChip chip;
        chip.text = result.shown_pieces[static_cast<qsizetype>(position)];
        chip.tooltip = chipTooltip(result, position);
        chip.special = isSpecial(model, result.prompt.ids[position]);
        chip.second = !result.prompt.segments.empty() && result.prompt.segments[position] == 1;
        chips.append(chip);
    }
    return chips;
}

QVector<TokenChip> comparedChips(const RunResult& result, const RunResult& other,
                                 const TokenAlignment& counterpart) {
    QVector<TokenChip> chips = tokenChips(result);
    for (qsizetype position = 0; position < chips.size(); ++position) {
        const auto at = counterpart[static_cast<std::size_t>(position)];
        const QString piece = at ? other.shown_pieces[static_cast<qsizetype>(*at)] : QString();
        TokenChip& chip = chips[position];
        chip.differs = !at || piece != chip.text;
        chip.tooltip += QStringLiteral(" · ") +
                        (at ? PromptText::tr("compared with ‹%1› %2").arg(piece).arg(*at)
                            : PromptText::tr("compared with no token of the other prompt"));
    }
    return chips;
}

QString unknownText(const RunResult& result) {
    const Model& model = *result.full->model;
    const Prompt& prompt = result.prompt;
    const auto unknown = model.tokenizer ? model.tokenizer->unknownToken() : std::nullopt;
    int of_text = 0;
    int count = 0;
    for (std::size_t token = 0; token < prompt.offsets.size(); ++token) {
        const bool is_of_text = prompt.offsets[token].begin < prompt.offsets[token].end;
        of_text += is_of_text ? 1 : 0;
        count += is_of_text && prompt.ids[token] == unknown ? 1 : 0;
    }
    return count == 0 ? QString()
           : count == 1
               ? PromptText::tr("1 of %1 tokens is unknown to this tokenizer.").arg(of_text)
               : PromptText::tr("%1 of %2 tokens are unknown to this tokenizer.")
                     .arg(count)
                     .arg(of_text);
}

QString noPredictionText(const Model& model) {
    if (model.spec.output == OutputHead::None)
        return PromptText::tr(
            "This model has no unembedding to predict with: it shows attention only.");
    if (model.spec.mask_token && model.tokenizer)
        return PromptText::tr("Write %1 where the model should fill in a token.")
            .arg(toQString(model.tokenizer->token(*model.spec.mask_token).value_or("[MASK]")));
    return PromptText::tr("This model reads both ways and predicts no next token.");
}

Markup predictionText(const RunResult& result, const QColor& before) {
    const Model& model = *result.full->model;
    Markup text(unknownText(result));
    if (!text.isEmpty())
        text += markup(u"&nbsp;&nbsp; ");
    if (!result.predicted_at)
        return text + Markup(noPredictionText(model));
    text += Markup(predictionPlace(result));
    for (const Prediction& prediction : result.predictions) {
        text += markup(u"&nbsp;&nbsp; <b>%1</b>&nbsp;%2", shownOutput(model, prediction.id),
                       percentText(prediction.probability));
        const auto change =
            std::ranges::find(result.prediction_changes, prediction.id, &PredictionChange::id);
        if (change != result.prediction_changes.end())
            text += markup(u"&nbsp;<span style='color:%1'>%2</span>", before.name(),
                           PromptText::tr("was %1").arg(percentText(change->before)));
    }
    return text;
}

Markup bosTooltip(const RunResult& result, BosMode mode) {
    const QString state = result.prompt.has_bos
                              ? PromptText::tr("The prompt starts with BOS.")
                              : PromptText::tr("The prompt does not start with BOS.");
    const QString chosen = mode == BosMode::Auto
                               ? PromptText::tr("As the model was trained (automatic).")
                               : PromptText::tr("Chosen by you.");
    return markup(u"<b>%1</b> %2<br>%3<br>%4", state, chosen, toQString(result.prompt.bos_reason),
                  PromptText::tr("Click to change; the arrow offers all choices."));
}

} // namespace headscope::ui

#include "ui/views/ablation/ablation_text.h"

#include "core/base/text.h"
#include "core/model/prompt.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/prompt/prompt_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

struct AblationText {
    Q_DECLARE_TR_FUNCTIONS(AblationText)
};

constexpr std::size_t kShownChanges = 3; ///< predictions
constexpr double kLeastShown = 0.0005;   ///< nats; less is rounding to what is written

/// "Loss <b>2.089 → 2.111</b> (+0.022)"
Markup lossMarkup(const RunResult& result) {
    return markup(AblationText::tr("Loss %1 → %2 (<b>%3</b>) nats"), lossNumber(*result.full_loss),
                  lossNumber(*result.masked_loss),
                  signedNats(*result.masked_loss - *result.full_loss));
}

/// "·Mary 99 % → 61 % ▼"
Markup predictionMarkup(const Model& model, const PredictionChange& change) {
    const QString before = percentText(change.before);
    const QString after = percentText(change.after);
    const QString arrow = before == after                ? QString()
                          : change.after > change.before ? QStringLiteral(" ▲")
                                                         : QStringLiteral(" ▼");
    return markup(u"<b>%1</b> %2 → %3%4", shownOutput(model, change.id), before, after, arrow);
}

QString divergenceText(double nats) {
    const QString number = nats < kLeastShown ? QStringLiteral("< 0.001") : lossNumber(nats);
    return AblationText::tr("KL %1 nats").arg(number);
}

} // namespace

QString lossNumber(double nats) {
    return QString::fromStdString(fixedText(nats, 3));
}

QString signedNats(double difference) {
    const QChar sign = difference < 0.0 ? QChar(0x2212) : QLatin1Char('+');
    return sign + lossNumber(std::abs(difference));
}

QString ablatedText(const HeadMask& mask) {
    return mask.size() == 1 ? AblationText::tr("1 head ablated")
                            : AblationText::tr("%1 heads ablated").arg(mask.size());
}

QString lossText(const RunResult& result) {
    const ModelSpec& spec = result.full->model->spec;
    if (!result.full_loss || !result.masked_loss)
        return spec.causal && spec.d_vocab > 0 && !spec.predictsClasses()
                   ? AblationText::tr("No loss: it needs a prompt of two tokens and a vocabulary.")
                   : AblationText::tr("No loss: this model predicts no next token.");
    if (result.mask.empty())
        return AblationText::tr("Loss %1 nats per token, no head ablated")
            .arg(lossNumber(*result.full_loss));
    return AblationText::tr("Loss %1 → %2 (%3, %4)")
        .arg(lossNumber(*result.full_loss), lossNumber(*result.masked_loss),
             signedNats(*result.masked_loss - *result.full_loss), ablatedText(result.mask));
}

Markup ablationMarkup(const RunResult& result) {
    QList<Markup> parts;
    parts << (result.full_loss && result.masked_loss ? lossMarkup(result)
                                                     : Markup(lossText(result)));
    const auto& changes = result.prediction_changes;
    for (std::size_t i = 0; i < std::min(kShownChanges, changes.size()); ++i)
        parts << predictionMarkup(*result.full->model, changes[i]);
    if (result.divergence)
        parts << Markup(divergenceText(*result.divergence));
    for (Markup& part : parts)
        part = markup(u"<span style='white-space:nowrap'>%1</span>", part);
    return joined(parts, markup(u" &nbsp;&nbsp;&nbsp; "));
}

QString ablationTip(const RunResult& result) {
    const bool at_one = isDivergenceOfLastToken(result);
    const QString over_all = AblationText::tr("mean over the positions of the prompt");
    if (result.full->model->spec.predictsClasses())
        return AblationText::tr(
                   "From the whole model to the one with heads ablated. Percent: probability "
                   "of a class. KL: divergence from the whole model, %1.")
            .arg(at_one ? AblationText::tr("where the classes are read") : over_all);
    return AblationText::
        tr("From the whole model to the one with heads ablated. Loss: mean over the tokens of the "
           "prompt. Percent: probability as the next token. KL: divergence from the whole "
           "model, %1.")
            .arg(at_one ? AblationText::tr("where the next token is predicted") : over_all);
}

} // namespace headscope::ui

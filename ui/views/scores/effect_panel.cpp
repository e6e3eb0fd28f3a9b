#include "ui/views/scores/effect_panel.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/widgets/labels.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace headscope::ui {
namespace {

/// "loss on the second copy" in the user's language.
QString measureName(const AblationEffect& result) {
    switch (result.measure) {
    case EffectMeasure::SecondCopyLoss:
        return EffectPanel::tr("the loss on the second copy");
    case EffectMeasure::NameLogits:
        return EffectPanel::tr("the logit of the name that comes twice, less that of the other,");
    case EffectMeasure::Loss:
        return EffectPanel::tr("the loss");
    case EffectMeasure::Kl:
        break;
    }
    return EffectPanel::tr("the prediction (KL from the whole model)");
}

} // namespace

Markup effectMarkup(const AblationEffect& result) {
    const QString verdict =
        result.hasEffect()
            ? EffectPanel::tr("Ablating it has an effect here.")
            : EffectPanel::tr("Ablating it has no more effect than ablating others.");
    QString text =
        (result.question.kind == AblationKind::Zero
             ? EffectPanel::tr("With the head ablated by zero, %1 changes by %2 nats")
             : EffectPanel::tr("With the head ablated by its mean, %1 changes by %2 nats"))
            .arg(measureName(result), signedNats(result.difference));
    if (result.sequences > 1)
        text += EffectPanel::tr(" (95 % %1 to %2)")
                    .arg(signedNats(result.interval.low), signedNats(result.interval.high));
    text += EffectPanel::tr("; this is more than for %1 of %2 other heads near it.")
                .arg(result.above())
                .arg(result.others.size());
    if (!result.others.empty())
        text += QLatin1Char('\n') + EffectPanel::tr("For the others: %1 to %2.")
                                        .arg(signedNats(result.others.front().difference),
                                             signedNats(result.others.back().difference));
    return markup(u"<b>%1</b><br>%2", verdict, text);
}

EffectPanel::EffectPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    test_ = new QPushButton(this);
    test_->setObjectName(QStringLiteral("testEffect"));
    test_->setToolTip(
        tr("Ablates the head on the sequences that its types were measured on, and compares "
           "it with ten other heads near it (Ctrl+T)"));
    answer_ = new MarkupLabel(this);
    answer_->setObjectName(QStringLiteral("effectAnswer"));
    answer_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(test_);
    layout->addWidget(answer_);

    connect(test_, &QPushButton::clicked, this,
            [this] { document_.testEffect(document_.selection().head()); });
    connect(&document_.effectTester(), &EffectTester::effectsChanged, this,
            &EffectPanel::showEffect);
    connect(&document_, &Document::labelsChanged, this, &EffectPanel::showEffect);
    connect(&document_.selection(), &Selection::headChanged, this, &EffectPanel::showEffect);
    showEffect();
}

void EffectPanel::showEffect() {
    const LayerHead head = document_.selection().head();
    const bool busy = document_.effectTester().worker()->isBusy();
    test_->setText(busy ? tr("Testing …") : tr("Effect of ablating %1").arg(headName(head)));
    test_->setEnabled(document_.headScorer().scores() &&
                      document_.model()->spec.cannot_run.empty() && !busy);
    const AblationEffect* effect = document_.effectTester().effect(head);
    answer_->setMarkup(effect ? effectMarkup(*effect) : Markup(document_.effectTester().error()));
    answer_->setVisible(!answer_->text().isEmpty());
}

} // namespace headscope::ui

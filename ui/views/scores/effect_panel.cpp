#include "ui/views/scores/effect_panel.h"

#include "ui/markup/markup.h"
#include "ui/tables/effect_text.h"
#include "ui/tables/head_text.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/widgets/labels.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QList>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>

#include <optional>

namespace headscope::ui {
namespace {

constexpr int kLeastDecimals = 4;
constexpr double kLeastStep = 0.005;
constexpr double kLargestLeast = 10.0;

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

/// After "by".
QString replacementText(const ReplacedBy& by) {
    switch (by.kind) {
    case AblationKind::Zero:
        return by.preserve_patterns ? EffectPanel::tr("zero with all patterns kept")
                                    : EffectPanel::tr("zero");
    case AblationKind::Mean:
    case AblationKind::TextMean:
        return EffectPanel::tr("its mean");
    case AblationKind::Resample:
        break;
    }
    return EffectPanel::tr("its output on another sequence");
}

QString finding(const AblationEffect& result) {
    QString text = EffectPanel::tr("With its output replaced by %1, %2 changes by %3 nats")
                       .arg(replacementText(result.question.replacement()), measureName(result),
                            signedNats(result.difference));
    if (result.sequences > 1)
        text += EffectPanel::tr(" (95 % %1 to %2, %3 sequences)")
                    .arg(signedNats(result.interval.low), signedNats(result.interval.high))
                    .arg(result.sequences);
    return text;
}

/// What the verdict rests on.
QString reason(const AblationEffect& result) {
    const QString least = QString::number(result.least, 'g', 2);
    switch (result.verdict()) {
    case EffectVerdict::Needed:
        return EffectPanel::tr("; this is more than for %1 of %2 other heads near it.")
            .arg(result.above())
            .arg(result.others.size());
    case EffectVerdict::Secondary:
        return EffectPanel::tr("; this is more than for %1 of %2 other heads near it, but not "
                               "clearly more than for three in four of them.")
            .arg(result.above())
            .arg(result.others.size());
    case EffectVerdict::Interferes:
        return EffectPanel::tr("; the model does better here without it.");
    case EffectVerdict::None:
        return EffectPanel::tr("; less than %1 nats is not counted.").arg(least);
    case EffectVerdict::Undecided:
        break;
    }
    return result.sequences < 2
               ? EffectPanel::tr("; a single sequence does not say how far that holds.")
               : EffectPanel::tr("; these sequences do not say whether that is more than %1 nats.")
                     .arg(least);
}

QString changes(const AblationEffect& result) {
    QStringList parts;
    for (const auto& group : {result.rising(), result.falling()})
        for (const AblationEffect::Replaced& each : group)
            parts << EffectPanel::tr("by %1 %2 nats")
                         .arg(replacementText(each.by), signedNats(each.difference));
    return (result.signsDiffer() ? EffectPanel::tr("The sign depends on what replaces it: %1.")
                                 : EffectPanel::tr("This depends on what replaces it: %1."))
        .arg(parts.join(QStringLiteral(", ")));
}

QString backups(const AblationEffect& result) {
    if (result.backups_tried == 0)
        return EffectPanel::tr("Backups were not looked for: that takes two sequences or more, and "
                               "another head in its layer or a later one.");
    QStringList heads;
    for (const AblationEffect::Backup& backup : result.backups)
        heads << EffectPanel::tr("%1 (%2 nats)")
                     .arg(headName(backup.head), signedNats(backup.growth));
    return heads.isEmpty()
               ? EffectPanel::tr("No backup found: none of %1 heads in its layer and later ones "
                                 "surely costs more when it is ablated.")
                     .arg(result.backups_tried)
               : EffectPanel::tr("Backed up by %1, which cost more when it is ablated.")
                     .arg(heads.join(QStringLiteral(", ")));
}

} // namespace

Markup effectMarkup(const AblationEffect& result) {
    QStringList lines{finding(result) + reason(result)};
    if (!result.others.empty())
        lines << EffectPanel::tr("For the others: %1 to %2.")
                     .arg(signedNats(result.others.front().difference),
                          signedNats(result.others.back().difference));
    if (result.replacementsDiffer())
        lines << changes(result);
    if (result.question.backups)
        lines << backups(result);
    return markup(u"<b>%1</b> · %2<br>%3", verdictName(result.verdict()), effectLabels(result),
                  lines.join(QLatin1Char('\n')));
}

EffectPanel::EffectPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    makeControls();
    answer_ = new MarkupLabel(this);
    answer_->setObjectName(QStringLiteral("effectAnswer"));
    answer_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(test_);
    layout->addWidget(least_);
    layout->addWidget(backups_);
    layout->addWidget(answer_);

    connect(test_, &QPushButton::clicked, this,
            [this] { document_.testEffect(document_.selection().head()); });
    connect(least_, &QDoubleSpinBox::valueChanged, this, &EffectPanel::takeSettings);
    connect(backups_, &QCheckBox::toggled, this, &EffectPanel::takeSettings);
    connect(&document_.effectTester(), &EffectTester::effectsChanged, this,
            &EffectPanel::showEffect);
    connect(&document_, &Document::labelsChanged, this, &EffectPanel::showEffect);
    connect(&document_.selection(), &Selection::headChanged, this, &EffectPanel::showEffect);
    showEffect();
}

void EffectPanel::makeControls() {
    test_ = new QPushButton(this);
    test_->setObjectName(QStringLiteral("testEffect"));
    test_->setToolTip(
        tr("Ablates the head on the sequences that its types were measured on, and compares "
           "it with ten other heads near it (Ctrl+T)"));
    least_ = new QDoubleSpinBox(this);
    least_->setObjectName(QStringLiteral("leastEffect"));
    least_->setAccessibleName(tr("Least effect"));
    least_->setToolTip(tr("Effects of fewer nats do not count. As usual: the larger of 0.01 and "
                          "1 % of what the whole model has"));
    least_->setDecimals(kLeastDecimals);
    least_->setSingleStep(kLeastStep);
    least_->setMaximum(kLargestLeast);
    least_->setPrefix(tr("from "));
    least_->setSuffix(tr(" nats"));
    least_->setSpecialValueText(tr("least effect: as usual"));
    least_->setKeyboardTracking(false);
    backups_ = new QCheckBox(tr("Find its backups"), this);
    backups_->setObjectName(QStringLiteral("effectBackups"));
    backups_->setToolTip(
        tr("Also names the heads that cost more when this one is ablated. It takes "
           "two runs more for each head of its layer and of later ones"));
}

void EffectPanel::takeSettings() {
    const double least = least_->value();
    document_.effectTester().setSettings(
        {.least_effect = least > 0.0 ? std::optional(least) : std::nullopt,
         .backups = backups_->isChecked()});
}

void EffectPanel::showEffect() {
    const LayerHead head = document_.selection().head();
    const bool busy = document_.effectTester().worker()->isBusy();
    test_->setText(busy ? tr("Testing …") : tr("Effect of ablating %1").arg(headName(head)));
    test_->setEnabled(document_.headScorer().scores() &&
                      document_.model()->spec.cannot_run.empty() && !busy);
    QList<Markup> answers;
    for (const AblationEffect& effect : document_.effectTester().effects(head))
        answers << effectMarkup(effect);
    answer_->setMarkup(answers.isEmpty() ? Markup(document_.effectTester().error())
                                         : joined(answers, markup(u"<br>")));
    answer_->setVisible(!answer_->text().isEmpty());
}

} // namespace headscope::ui

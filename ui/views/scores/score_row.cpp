#include "ui/views/scores/score_row.h"

#include "ui/tables/head_text.h"
#include "ui/views/grid/type_badge.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/score_bar.h"

#include <QGridLayout>
#include <QLabel>

#include <cmath>
#include <limits>

namespace headscope::ui {
namespace {

constexpr int kBadgeSide = 18;

void setBold(QLabel* label, bool bold) {
    QFont font = label->font();
    font.setBold(bold);
    label->setFont(font);
}

} // namespace

ScoreRow::ScoreRow(const HeadType& type, QWidget* parent) : QWidget(parent), type_(type) {
    const QString key = toQString(type.key);
    setObjectName(QStringLiteral("score_%1").arg(key));
    auto* badge = new QLabel(this);
    badge->setPixmap(typeIcon(type.id).pixmap(kBadgeSide, kBadgeSide));
    name_ = new QLabel(toQString(type.name), this);
    value_ = new QLabel(this);
    value_->setObjectName(QStringLiteral("value_%1").arg(key));
    bar_ = new ScoreBar(this);
    bar_->setObjectName(QStringLiteral("bar_%1").arg(key));
    bar_->setColour(typeColourOf(type.id));
    bar_->setAccessibleName(tr("%1: score and threshold").arg(toQString(type.name)));
    context_ = new ElidedLabel(this);
    threshold_ = new QLabel(this);
    threshold_->setToolTip(tr("The type counts from this score on"));
    for (QLabel* quiet : {context_, threshold_})
        quiet->setForegroundRole(QPalette::PlaceholderText);

    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 6);
    layout->setVerticalSpacing(1);
    layout->addWidget(badge, 0, 0);
    layout->addWidget(name_, 0, 1);
    layout->addWidget(value_, 0, 2, Qt::AlignRight);
    layout->addWidget(bar_, 1, 0, 1, 3);
    layout->addWidget(context_, 2, 0, 1, 2);
    layout->addWidget(threshold_, 2, 2, Qt::AlignRight);
    layout->setColumnStretch(1, 1);
    connect(bar_, &ScoreBar::thresholdMoved, this,
            [this](double threshold) { emit thresholdMoved(type_.id, threshold); });
}

void ScoreRow::setScore(const HeadScores* scores, LayerHead head, double threshold, bool labelled) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const HeadScore* score = scores ? &scores->at(type_.id, head) : nullptr;
    const std::size_t sequences = scores ? scores->measuredOn(type_.id).sequences : 0;
    const bool is_undefined = score && std::isnan(score->score);
    bar_->setThreshold(threshold);
    threshold_->setText(tr("from %1").arg(scoreText(threshold)));
    setBold(name_, labelled);
    setBold(value_, labelled);
    setTip(score, sequences);
    // Of the types that the head does not have, only what can be compared at a glance.
    context_->setVisible(labelled || is_undefined);
    threshold_->setVisible(labelled);
    if (!score) {
        value_->setText(scoreText(kNone));
        bar_->setValue({kNone, 0.0, 0.0, 0.0});
        context_->clear();
        return;
    }
    value_->setText(scoreText(score->score));
    bar_->setValue({score->score, score->baseline, score->low, score->high});
    context_->setText(is_undefined ? undefinedText(*scores, type_.id)
                                   : baselineText(*score, sequences));
}

void ScoreRow::setThresholdEditable(bool editable) {
    bar_->setEditable(editable);
}

void ScoreRow::setTip(const HeadScore* score, std::size_t sequences) {
    QString tip = typeTip(type_);
    if (score)
        tip += QStringLiteral("<br>") + readingHtml(*score, sequences);
    setRichTip(this, tip);
}

} // namespace headscope::ui

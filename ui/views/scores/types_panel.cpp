#include "ui/views/scores/types_panel.h"

#include "core/heads/head_type.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/missing_scores.h"
#include "ui/views/grid/type_controls.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/scores/evidence_lines.h"
#include "ui/widgets/elided_text.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/score_bar.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace headscope::ui {

namespace {

void setBold(QLabel* label, bool bold) {
    QFont font = label->font();
    font.setBold(bold);
    label->setFont(font);
}

} // namespace

ScoreRow::ScoreRow(const HeadType& type, QWidget* parent) : QWidget(parent), type_(type) {
    const QString key = toQString(type.key);
    setObjectName(QStringLiteral("score_%1").arg(key));
    badge_ = new TypeBadge(type.id, this);
    badge_->setObjectName(QStringLiteral("badge_%1").arg(key));
    name_ = new TextLabel(toQString(type.name), this);
    value_ = new TextLabel(this);
    value_->setObjectName(QStringLiteral("value_%1").arg(key));
    bar_ = new ScoreBar(this);
    bar_->setObjectName(QStringLiteral("bar_%1").arg(key));
    bar_->setColour(typeColourOf(type.id));
    bar_->setAccessibleName(tr("%1: score and threshold").arg(toQString(type.name)));
    context_ = new ElidedLabel(this);
    threshold_ = new TextLabel(this);
    threshold_->setToolTip(tr("The type counts from this score on"));
    for (QLabel* quiet : {context_, threshold_})
        quiet->setForegroundRole(QPalette::PlaceholderText);

    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 6);
    layout->setVerticalSpacing(1);
    layout->addWidget(badge_, 0, 0);
    layout->addWidget(name_, 0, 1);
    layout->addWidget(value_, 0, 2, Qt::AlignRight);
    layout->addWidget(bar_, 1, 0, 1, 3);
    layout->addWidget(context_, 2, 0, 1, 2);
    layout->addWidget(threshold_, 2, 2, Qt::AlignRight);
    evidence_ = new EvidenceLines(key, this);
    layout->addWidget(evidence_, 3, 0, 1, 3);
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

void ScoreRow::setTrust(const LabelTrust* trust) {
    badge_->setLook(trust ? chipLook(trust->word()) : ChipLook::Full);
    evidence_->setTrust(trust);
}

void ScoreRow::setThresholdEditable(bool editable) {
    bar_->setEditable(editable);
}

void ScoreRow::setTip(const HeadScore* score, std::size_t sequences) {
    Markup tip = typeTip(type_);
    if (score)
        tip += markup(u"<br>%1", readingMarkup(*score, sequences));
    setRichTip(this, tip);
}

TypesPanel::TypesPanel(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    title_ = new TextLabel(this);
    title_->setObjectName(QStringLiteral("typesTitle"));
    QFont font = title_->font();
    font.setBold(true);
    title_->setFont(font);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    all_ =
        makeChoice("allTypes", tr("All types"), tr("Also the types that this head does not have"));
    auto* top = new QHBoxLayout;
    top->addWidget(title_, 1);
    top->addWidget(all_);
    layout->addLayout(top);
    std::optional<TypeGroup> group;
    for (const HeadType& type : headTypes()) {
        if (group != type.group)
            layout->addWidget(headings_.emplace(type.group, makeHeading(type.group)).first->second);
        group = type.group;
        auto* row = new ScoreRow(type, this);
        connect(row, &ScoreRow::thresholdMoved, &document_, &Document::setThreshold);
        layout->addWidget(row);
        rows_.append(row);
    }
    makeTestButton();
    layout->addWidget(test_);
    layout->addWidget(test_error_);
    input_ = new TextLabel(this);
    input_->setObjectName(QStringLiteral("scoreInput"));
    input_->setWordWrap(true);
    input_->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(input_);
    reset_ = new QPushButton(tr("Reset &Thresholds"), this);
    reset_->setObjectName(QStringLiteral("resetThresholds"));
    reset_->setToolTip(tr("Back to the thresholds that Headscope comes with"));
    edit_ = makeChoice("editThresholds", tr("Edit thresholds"),
                       tr("A type counts from its threshold on; the marks can then be dragged, or "
                          "moved with the arrow keys"));
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(edit_, 1);
    bottom->addWidget(reset_);
    layout->addLayout(bottom);

    connect(reset_, &QPushButton::clicked, this, [this] { document_.setThresholds({}); });
    connect(all_, &QCheckBox::toggled, this, &TypesPanel::showScores);
    connect(edit_, &QCheckBox::toggled, this, &TypesPanel::showThresholds);
    connect(&document_, &Document::modelChanged, this, &TypesPanel::showScores);
    connect(&document_, &Document::labelsChanged, this, &TypesPanel::showScores);
    connect(&document_.selection(), &Selection::headChanged, this, &TypesPanel::showScores);
    connect(&document_.labelTester(), &LabelTester::trustChanged, this, &TypesPanel::showTrust);
    showScores();
    showThresholds();
}

void TypesPanel::makeTestButton() {
    test_ = new QPushButton(this);
    test_->setObjectName(QStringLiteral("testLabels"));
    test_error_ = new TextLabel(this);
    test_error_->setObjectName(QStringLiteral("testLabelsError"));
    test_error_->setWordWrap(true);
    connect(test_, &QPushButton::clicked, this,
            [this] { document_.labelTester().test(document_.selection().head()); });
}

QCheckBox* TypesPanel::makeChoice(const char* name, const QString& text, const QString& tip) {
    auto* choice = new QCheckBox(text, this);
    choice->setObjectName(QString::fromLatin1(name));
    choice->setToolTip(asTip(tip));
    const QString key = QStringLiteral("view/") + choice->objectName();
    choice->setChecked(QSettings().value(key, false).toBool());
    connect(choice, &QCheckBox::toggled, this,
            [key](bool chosen) { QSettings().setValue(key, chosen); });
    return choice;
}

QLabel* TypesPanel::makeHeading(TypeGroup group) {
    auto* heading = new TextLabel(groupName(group), this);
    heading->setObjectName(QStringLiteral("typeHeading_%1").arg(static_cast<int>(group)));
    heading->setForegroundRole(QPalette::PlaceholderText);
    heading->setContentsMargins(0, 6, 0, 0);
    return heading;
}

void TypesPanel::showScores() {
    const LayerHead head = document_.selection().head();
    const Thresholds& thresholds = document_.thresholds();
    const auto scores = document_.headScorer().scores();
    title_->setText(document_.model() ? tr("Types of %1").arg(headName(head))
                                      : tr("Types of a head"));
    const std::vector<HeadTypeId> found =
        scores ? labels(*scores, head, thresholds) : std::vector<HeadTypeId>();
    // Without labels the scores are all there is.
    const bool shows_all = all_->isChecked() || (scores && scores->naming() != Naming::Possible);
    for (const auto& heading : headings_)
        heading.second->setVisible(
            shows_all && (!scores || std::ranges::any_of(scores->types, [&](HeadTypeId type) {
                return headType(type).group == heading.first;
            })));
    for (ScoreRow* row : rows_) {
        const HeadTypeId id = row->type();
        const bool labelled = std::ranges::find(found, id) != found.end();
        row->setVisible(labelled || (shows_all && (!scores || scores->has(id))));
        if (!scores || scores->has(id))
            row->setScore(scores.get(), head, thresholds.of(id), labelled);
    }
    if (!scores)
        input_->setText(missingScoresText(document_));
    else if (found.empty() && !shows_all)
        input_->setText(
            tr("None of its %1 scores reaches its threshold.").arg(scores->types.size()));
    else
        input_->setText(scoreInputText(*scores, shows_all ? scores->types : found));
    reset_->setEnabled(thresholds != Thresholds());
    showTrust();
}

void TypesPanel::showTrust() {
    const LayerHead head = document_.selection().head();
    const LabelTester& tester = document_.labelTester();
    for (ScoreRow* row : rows_)
        row->setTrust(tester.label(head, row->type()));
    const QString refusal = tester.refusal(head);
    const bool busy = tester.worker()->isBusy();
    test_->setText(busy ? tr("Testing …") : tr("Test the labels of %1").arg(headName(head)));
    test_->setEnabled(refusal.isEmpty() && !busy);
    test_->setToolTip(
        asTip(refusal.isEmpty()
                  ? tr("Ablates the head on what its labels are read from, and reads them on other "
                       "input and on resamples (Ctrl+Shift+L)")
                  : refusal));
    test_error_->setText(tester.error());
    test_error_->setVisible(!tester.error().isEmpty());
}

void TypesPanel::showThresholds() {
    for (ScoreRow* row : rows_)
        row->setThresholdEditable(edit_->isChecked());
    reset_->setVisible(edit_->isChecked());
}

} // namespace headscope::ui

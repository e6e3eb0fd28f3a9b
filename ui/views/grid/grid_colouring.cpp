#include "ui/views/grid/grid_colouring.h"

#include "core/heads/head_type.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/type_controls.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/widgets/elided_text.h"
#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QSettings>
#include <QToolButton>

namespace headscope::ui {
namespace {

constexpr int kLeastSort = 40; ///< pixels

QString gridScoreKey() {
    return QStringLiteral("view/gridScore");
}
QString gridSortedKey() {
    return QStringLiteral("view/gridSorted");
}

} // namespace

GridColouring::GridColouring(QWidget* parent) : QWidget(parent) {
    score_ = new ScoreBox(tr("types"), this);
    score_->setObjectName(QStringLiteral("gridScore"));
    score_->setAccessibleName(tr("What colours the heads"));
    score_->setToolTip(tr("Colours each head by its types, or by one score from 0 to 1"));
    letShrink(score_);
    auto* label = new TextLabel(tr("&Colour by"), this);
    label->setBuddy(score_);
    sort_ = new ElidedButton(this);
    sort_->setMinimumWidth(kLeastSort);
    sort_->setObjectName(QStringLiteral("gridSorted"));
    sort_->setText(tr("&Sort"));
    sort_->setCheckable(true);
    sort_->setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(label);
    layout->addWidget(score_, 1);
    layout->addWidget(sort_);
    restore();
    for (const auto change : {&GridColouring::keep, &GridColouring::showState})
        connect(score_, &ScoreBox::changed, this, change);
    connect(score_, &ScoreBox::changed, this, &GridColouring::changed);
    connect(sort_, &QToolButton::toggled, this, &GridColouring::keep);
    connect(sort_, &QToolButton::toggled, this, &GridColouring::changed);
    showState();
}

void GridColouring::restore() {
    const QSettings settings;
    const QString key = settings.value(gridScoreKey()).toString();
    score_->choose(headTypeByKey(key.toStdString()));
    sort_->setChecked(settings.value(gridSortedKey(), false).toBool());
}

void GridColouring::keep() {
    QSettings settings;
    const auto wanted = score_->wanted();
    settings.setValue(gridScoreKey(), wanted ? toQString(headType(*wanted).key) : QString());
    settings.setValue(gridSortedKey(), sort_->isChecked());
}

void GridColouring::showState() {
    const bool by_score = score().has_value();
    sort_->setEnabled(by_score);
    sort_->setToolTip(
        asTip(by_score ? tr("Orders the heads of each layer by this score, the highest first")
                       : tr("Orders the heads of each layer by a score: choose one to colour "
                            "by")));
}

void GridColouring::setTypes(const std::vector<HeadTypeId>& types) {
    score_->setTypes(types);
    showState();
}

std::optional<HeadTypeId> GridColouring::score() const {
    return score_->chosen();
}

bool GridColouring::isSorted() const {
    return score() && sort_->isChecked();
}

void GridColouring::openChoices() {
    score_->setFocus(Qt::ShortcutFocusReason);
    score_->showPopup();
}

void GridColouring::toggleSorting() {
    if (score())
        sort_->toggle();
    else
        openChoices();
}

} // namespace headscope::ui

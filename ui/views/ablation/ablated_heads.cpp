#include "ui/views/ablation/ablated_heads.h"

#include "ui/document/head_groups.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/tab_group.h"

#include <QAction>
#include <QApplication>
#include <QFrame>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

#include <algorithm>
#include <map>
#include <utility>

namespace headscope::ui {
namespace {

constexpr int kChipSpace = 4; ///< pixels between chips

QToolButton* flatButton(const QString& text, const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(asTip(tip));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

} // namespace

AblatedHeads::AblatedHeads(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    setAccessibleName(tr("Ablated heads"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    reachable_ = new TabGroup(1, this);
    rest_ = new QMenu(this);
    more_ = flatButton(QString(),
                       tr("Ablated heads that have no room here: choose one to restore "
                          "it"),
                       this);
    more_->setObjectName(QStringLiteral("moreAblated"));
    more_->setPopupMode(QToolButton::InstantPopup);
    more_->setMenu(rest_);
    connect(&document_.ablation(), &Ablation::changed, this, &AblatedHeads::showMask);
    connect(&document_, &Document::modelChanged, this, &AblatedHeads::showMask);
    showMask();
}

void AblatedHeads::showMask() {
    const qsizetype focused = chipWithFocus();
    const QList<QWidget*> before = std::exchange(chips_, {});
    rest_->clear();
    std::map<std::size_t, std::vector<LayerHead>> by_layer;
    for (const auto& [head, kind] : document_.ablation().mask().heads())
        by_layer[head.layer].push_back(head);
    for (const auto& [layer, heads] : by_layer)
        addLayer(layer, heads);
    place();
    if (focused >= 0)
        focusNear(focused);
    for (QWidget* chip : before) {
        chip->setParent(nullptr);
        chip->deleteLater(); // the click that restores a head comes from its chip
    }
}

qsizetype AblatedHeads::chipWithFocus() const {
    const auto found = std::ranges::find_if(chips_, [](const QWidget* chip) {
        return chip->isAncestorOf(QApplication::focusWidget());
    });
    return found == chips_.end() ? -1 : found - chips_.begin();
}

void AblatedHeads::focusNear(qsizetype place) {
    place = std::min(place, chips_.size() - 1);
    while (place >= 0 && chips_[place]->isHidden())
        --place;
    if (place >= 0)
        chips_[place]->findChildren<QToolButton*>().last()->setFocus(Qt::OtherFocusReason);
}

void AblatedHeads::addLayer(std::size_t layer, const std::vector<LayerHead>& heads) {
    if (heads.size() > 1 && heads.size() == document_.model()->spec.headsIn(layer)) {
        chips_ << makeChip(tr("layer %1").arg(layer), heads.front(),
                           [this, layer] { document_.ablation().toggleLayer(layer); });
        return;
    }
    for (const LayerHead head : heads)
        chips_ << makeChip(headName(head), head,
                           [this, head] { document_.ablation().toggleHead(head); });
}

QWidget* AblatedHeads::makeChip(const QString& name, LayerHead head,
                                std::function<void()> restore) {
    auto* chip = new QFrame(this);
    chip->setFrameShape(QFrame::StyledPanel);
    const QString place = QStringLiteral("%1_%2").arg(head.layer).arg(head.head);
    auto* select = flatButton(name, tr("Select %1").arg(headName(head)), chip);
    select->setObjectName(QStringLiteral("selectAblated_") + place);
    connect(select, &QToolButton::clicked, this,
            [this, head] { document_.selection().select(head); });
    auto* cross = flatButton(QStringLiteral("✕"), tr("Restore %1").arg(name), chip);
    cross->setObjectName(QStringLiteral("restoreAblated_") + place);
    cross->setAccessibleName(cross->toolTip());
    connect(cross, &QToolButton::clicked, this, restore);
    rest_->addAction(tr("Restore %1").arg(name), this, std::move(restore));
    auto* layout = new QHBoxLayout(chip);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    layout->addWidget(select);
    layout->addWidget(cross);
    chip->show();
    return chip;
}

QSize AblatedHeads::sizeHint() const {
    int width = 0;
    int height = more_->sizeHint().height();
    for (const QWidget* chip : chips_) {
        width += chip->sizeHint().width() + kChipSpace;
        height = std::max(height, chip->sizeHint().height());
    }
    return {width, height};
}

QSize AblatedHeads::minimumSizeHint() const {
    return {more_->sizeHint().width(), sizeHint().height()};
}

void AblatedHeads::resizeEvent(QResizeEvent*) {
    place();
}

void AblatedHeads::place() {
    more_->setText(tr("+%1 more").arg(chips_.size()));
    const bool all_fit = sizeHint().width() <= width();
    const int room = all_fit ? width() + kChipSpace : width() - more_->sizeHint().width();
    int x = 0;
    qsizetype shown = 0;
    while (shown < chips_.size() && x + chips_[shown]->sizeHint().width() <= room) {
        const QSize size = chips_[shown]->sizeHint();
        chips_[shown]->setGeometry(x, (height() - size.height()) / 2, size.width(), size.height());
        x += size.width() + kChipSpace;
        ++shown;
    }
    const QList<QAction*> entries = rest_->actions();
    for (qsizetype i = 0; i < chips_.size(); ++i) {
        chips_[i]->setVisible(i < shown);
        entries[i]->setVisible(i >= shown);
    }
    reach(shown);
    const auto hidden = chips_.size() - shown;
    more_->setText(tr("+%1 more").arg(hidden));
    more_->setVisible(hidden > 0);
    const QSize size = more_->sizeHint();
    more_->setGeometry(x, (height() - size.height()) / 2, size.width(), size.height());
    updateGeometry();
}

void AblatedHeads::reach(qsizetype shown) {
    QList<QWidget*> buttons;
    for (qsizetype i = 0; i < shown; ++i)
        buttons << chips_[i]->findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
    if (shown < chips_.size())
        buttons << more_;
    reachable_->setMembers(buttons);
}

} // namespace headscope::ui

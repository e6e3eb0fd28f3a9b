#include "ui/views/window/side_panels.h"

#include "ui/views/pages/page_area.h"

#include <QEvent>
#include <QSplitter>

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

// Pixels that the panels have beside an analysis: more than the least that they can do with.
constexpr int kGoodLeft = 250;
constexpr int kGoodRight = 310;

} // namespace

SidePanels::SidePanels(QSplitter& splitter, PageArea& pages, QObject* parent)
    : QObject(parent), splitter_(splitter), pages_(pages), left_(splitter.widget(0)),
      right_(splitter.widget(2)) {
    splitter_.installEventFilter(this);
    connect(&pages_, &PageArea::changed, this, [this] {
        if (asked_ == true)
            asked_.reset();
        makeRoom();
    });
}

bool SidePanels::areShown() const {
    return !left_->isHidden() && !right_->isHidden();
}

void SidePanels::show(bool shown) {
    asked_ = shown;
    makeRoom();
}

bool SidePanels::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize)
        makeRoom();
    return QObject::eventFilter(watched, event);
}

void SidePanels::makeRoom() {
    const std::pair before{left_->isHidden(), right_->isHidden()};
    const PageArea::Widths page = pages_.widths();
    const int left = std::max(left_->minimumSizeHint().width(), kGoodLeft);
    const int right = std::max(right_->minimumWidth(), kGoodRight);
    const int room = splitter_.width();
    left_->setVisible(asked_.value_or(page.least == 0 || page.least + left <= room));
    right_->setVisible(asked_.value_or(page.good == 0 || page.good + left + right <= room));
    if (before != std::pair{left_->isHidden(), right_->isHidden()})
        emit changed();
}

} // namespace headscope::ui

#include "ui/views/grid/score_box.h"

#include "core/heads/head_type.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/type_badge.h"

#include <algorithm>

namespace headscope::ui {

ScoreBox::ScoreBox(const QString& none, QWidget* parent) : QComboBox(parent), none_(none) {
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(12);
    setMaxVisibleItems(30);
    if (!none_.isEmpty())
        addItem(none_);
    connect(this, &QComboBox::activated, this, [this] {
        if (wanted_ == chosen())
            return;
        wanted_ = chosen();
        emit changed();
    });
}

void ScoreBox::setTypes(const std::vector<HeadTypeId>& types) {
    if (types == types_)
        return;
    types_ = types;
    clear();
    if (!none_.isEmpty())
        addItem(none_);
    for (const HeadTypeId id : types_) {
        addItem(typeIcon(id), typeName(id), static_cast<int>(id));
        setItemData(count() - 1, wideTip(typeTip(headType(id))), Qt::ToolTipRole);
    }
    showWanted();
}

void ScoreBox::choose(std::optional<HeadTypeId> type) {
    wanted_ = type;
    showWanted();
}

std::optional<HeadTypeId> ScoreBox::chosen() const {
    const QVariant id = currentData();
    return id.isValid() ? std::optional(static_cast<HeadTypeId>(id.toInt())) : std::nullopt;
}

void ScoreBox::showWanted() {
    const int found = wanted_ ? findData(static_cast<int>(*wanted_)) : 0;
    setCurrentIndex(std::min(std::max(found, 0), count() - 1));
}

} // namespace headscope::ui

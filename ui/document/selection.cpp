#include "ui/document/selection.h"

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

std::size_t moved(std::size_t from, int steps, std::size_t count) {
    const auto target = static_cast<std::ptrdiff_t>(from) + steps;
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(target, 0, static_cast<std::ptrdiff_t>(count) - 1));
}

} // namespace

Selection::Selection(QObject* parent) : QObject(parent) {}

void Selection::setModel(std::shared_ptr<const Model> model) {
    model_ = std::move(model);
    head_ = model_->spec.allHeads().front();
    chosen_ = {head_};
    is_of_user_ = false;
    pointed_at_.reset();
    locked_row_.reset();
}

void Selection::announce() {
    emit headChanged();
    emit chosenChanged();
}

bool Selection::exists(LayerHead head) const {
    return model_ && model_->spec.hasHead(head);
}

void Selection::select(LayerHead head) {
    choose({head}, head);
}

void Selection::suggest(LayerHead head) {
    if (!is_of_user_)
        set({head}, head);
}

void Selection::move(int layers, int heads) {
    if (!model_)
        return;
    const ModelSpec& spec = model_->spec;
    LayerHead target = head_;
    do {
        const LayerHead before = target;
        target = {moved(target.layer, layers, spec.n_layers),
                  moved(target.head, heads, spec.n_heads)};
        if (target == before)
            return;
    } while (!spec.hasHead(target)); // over those that were removed
    select(target);
}

void Selection::choose(const std::vector<LayerHead>& heads, LayerHead selected) {
    if (!exists(selected) ||
        !std::ranges::all_of(heads, [this](LayerHead head) { return exists(head); }))
        return;
    is_of_user_ = true;
    set(heads, selected);
}

void Selection::set(const std::vector<LayerHead>& heads, LayerHead selected) {
    const bool other_head = selected != head_;
    if (!other_head && heads == chosen_)
        return;
    head_ = selected;
    chosen_ = heads;
    if (other_head)
        emit headChanged();
    emit chosenChanged();
}

void Selection::pointAt(std::optional<LayerHead> head) {
    if (head && !exists(*head))
        head.reset();
    if (head == pointed_at_)
        return;
    pointed_at_ = head;
    emit pointedAtChanged();
}

void Selection::showType(HeadTypeId type, bool shown) {
    if (shown == shown_types_.contains(type))
        return;
    if (shown)
        shown_types_.insert(type);
    else
        shown_types_.remove(type);
    emit shownTypesChanged();
}

void Selection::lockRow(std::optional<std::size_t> row) {
    if (row == locked_row_)
        return;
    locked_row_ = row;
    emit lockedRowChanged();
}

void Selection::toggleRow(std::optional<std::size_t> row) {
    lockRow(row == locked_row_ ? std::nullopt : row);
}

} // namespace headscope::ui

#pragma once

#include "core/base/layer_head.h"
#include "core/heads/head_score.h"
#include "core/model/model.h"

#include <QObject>
#include <QSet>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::ui {

/// What the user looks at, in all views alike: heads, types of heads and a row of their patterns.
/// Without a model there are no heads to look at. Lives on the GUI thread.
class Selection : public QObject {
    Q_OBJECT

public:
    explicit Selection(QObject* parent = nullptr);

    /// The heads are those of this model: its first is selected, none is pointed at and no row is
    /// locked. Views hear of it by announce(), after they have heard of the model.
    void setModel(std::shared_ptr<const Model> model);
    void announce();

    /// The head that is read.
    LayerHead head() const { return head_; }
    void select(LayerHead head); ///< and no other
    /// Selects this head unless the user has selected one of this model.
    void suggest(LayerHead head);
    /// Steps that leave the grid stop at its edge.
    void move(int layers, int heads);
    /// The heads that can be seen side by side, in the order they were chosen; `head()` is one of
    /// them.
    const std::vector<LayerHead>& chosen() const { return chosen_; }
    /// These and no others; does nothing when one of them is not there.
    void choose(const std::vector<LayerHead>& heads, LayerHead selected);

    /// Views of all heads show the one that the pointer is on in another view; none: none.
    std::optional<LayerHead> pointedAt() const { return pointed_at_; }
    void pointAt(std::optional<LayerHead> head);

    /// The types that views of all heads show; empty: all.
    const QSet<HeadTypeId>& shownTypes() const { return shown_types_; }
    void showType(HeadTypeId type, bool shown);

    /// The query row of Document::shown() that views keep in sight; none: nothing locked.
    std::optional<std::size_t> lockedRow() const { return locked_row_; }
    void lockRow(std::optional<std::size_t> row);
    /// What a click on its token does: locks the row, or unlocks it where it is locked.
    void toggleRow(std::optional<std::size_t> row);

signals:
    void headChanged();   ///< another head is selected
    void chosenChanged(); ///< other heads are chosen, or another of them is selected
    void pointedAtChanged();
    void shownTypesChanged();
    void lockedRowChanged();

private:
    bool exists(LayerHead head) const;
    void set(const std::vector<LayerHead>& heads, LayerHead selected);

    std::shared_ptr<const Model> model_;
    LayerHead head_;
    std::vector<LayerHead> chosen_{head_};
    bool is_of_user_ = false; ///< the user has selected a head of this model
    std::optional<LayerHead> pointed_at_;
    QSet<HeadTypeId> shown_types_;
    std::optional<std::size_t> locked_row_;
};

} // namespace headscope::ui

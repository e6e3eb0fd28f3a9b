// The ablated heads of a document, which can be undone.

#include "ui/document/document.h"
#include "ui/document/head_groups.h"
#include "ui/tables/head_text.h"

#include <QUndoCommand>

#include <algorithm>
#include <utility>

namespace headscope::ui {

/// Which heads are ablated and how, as one step that can be undone.
class Document::MaskChange : public QUndoCommand {
public:
    MaskChange(Document& document, HeadMask mask, AblationKind kind, const QString& text,
               int gesture)
        : QUndoCommand(text), document_(document), mask_before_(document.mask()),
          kind_before_(document.ablationKind()), mask_(std::move(mask)), kind_(kind),
          gesture_(gesture) {}

    void undo() override { document_.setMask(mask_before_, kind_before_); }
    void redo() override { document_.setMask(mask_, kind_); }

    int id() const override { return gesture_ == 0 ? kNeverMerged : gesture_; }
    bool mergeWith(const QUndoCommand* next) override {
        const auto* change = dynamic_cast<const MaskChange*>(next);
        if (!change)
            return false;
        mask_ = change->mask_;
        kind_ = change->kind_;
        setText(change->text());
        setObsolete(mask_ == mask_before_ && kind_ == kind_before_);
        return true;
    }

private:
    static constexpr int kNeverMerged = -1; // as QUndoCommand says

    Document& document_;
    HeadMask mask_before_;
    AblationKind kind_before_;
    HeadMask mask_;
    AblationKind kind_;
    int gesture_;
};

void Document::setAblationKind(AblationKind kind) {
    if (kind == ablation_kind_)
        return;
    HeadMask mask;
    for (const auto& [head, old_kind] : mask_.heads())
        mask.set(head, kind);
    if (mask.empty())
        setMask(mask, kind);
    else
        pushMask(mask, kind,
                 kind == AblationKind::Zero ? tr("ablate by zero") : tr("ablate by mean"));
}

void Document::toggleHeads(const std::vector<LayerHead>& heads, const QString& name) {
    if (heads.empty())
        return;
    HeadMask mask = mask_;
    const bool ablated = areAblated(heads);
    for (const LayerHead head : heads) {
        if (ablated)
            mask.clear(head);
        else
            mask.set(head, ablation_kind_);
    }
    pushMask(mask, ablation_kind_, (ablated ? tr("restore %1") : tr("ablate %1")).arg(name));
}

void Document::toggleHead(LayerHead head) {
    if (model_ && model_->spec.hasHead(head))
        toggleHeads({head}, headName(head));
}

void Document::toggleChosen() {
    if (model_)
        toggleHeads(chosen_, headNames(chosen_));
}

void Document::toggleGroup(LayerHead head) {
    if (model_)
        toggleHeads(model_->spec.groupOf(head),
                    tr("KV group %1 of layer %2").arg(model_->spec.kvHeadOf(head)).arg(head.layer));
}

void Document::toggleLayer(std::size_t layer) {
    if (model_)
        toggleHeads(headsOfLayer(model_->spec, layer), tr("layer %1").arg(layer));
}

void Document::toggleType(HeadTypeId type) {
    if (const auto scores = head_scorer_.scores())
        toggleHeads(headsOfType(*scores, type, thresholds_),
                    tr("heads of type %1").arg(typeName(type)));
}

bool Document::areAblated(const std::vector<LayerHead>& heads) const {
    return !heads.empty() &&
           std::ranges::all_of(heads, [this](LayerHead head) { return mask_.isAblated(head); });
}

void Document::clearMask() {
    if (!mask_.empty())
        pushMask({}, ablation_kind_, tr("restore all heads"));
}

void Document::ablateOnly(const std::vector<LayerHead>& heads, AblationKind kind,
                          const QString& text, int gesture) {
    if (!model_)
        return;
    HeadMask mask;
    for (const LayerHead head : heads)
        mask.set(head, kind);
    if (mask != mask_ || kind != ablation_kind_)
        pushMask(mask, kind, text, gesture);
}

void Document::pushMask(const HeadMask& mask, AblationKind kind, const QString& text, int gesture) {
    undo_.push(new MaskChange(*this, mask, kind, text, gesture));
}

void Document::setMask(const HeadMask& mask, AblationKind kind) {
    const bool changed = mask != mask_;
    mask_ = mask;
    if (kind != ablation_kind_) {
        ablation_kind_ = kind;
        effect_tester_.forget();
    }
    emit maskChanged();
    if (changed && model_)
        runPromptNow();
}

} // namespace headscope::ui

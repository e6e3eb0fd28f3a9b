#include "ui/document/ablation.h"

#include "ui/document/head_groups.h"
#include "ui/tables/head_text.h"

#include <QUndoCommand>

#include <algorithm>
#include <utility>

namespace headscope::ui {

/// Which heads are ablated and how, as one step that can be undone.
class Ablation::Step : public QUndoCommand {
public:
    Step(Ablation& ablation, HeadMask mask, AblationKind kind, const QString& text, int gesture)
        : QUndoCommand(text), ablation_(ablation), mask_before_(ablation.mask()),
          kind_before_(ablation.kind()), mask_(std::move(mask)), kind_(kind), gesture_(gesture) {}

    AblationStep before() const { return {text().toStdString(), mask_before_, kind_before_}; }

    void undo() override { ablation_.set(mask_before_, kind_before_); }
    void redo() override { ablation_.set(mask_, kind_); }

    int id() const override { return gesture_ == 0 ? kNeverMerged : gesture_; }
    bool mergeWith(const QUndoCommand* next) override {
        const auto* step = dynamic_cast<const Step*>(next);
        if (!step)
            return false;
        mask_ = step->mask_;
        kind_ = step->kind_;
        setText(step->text());
        setObsolete(mask_ == mask_before_ && kind_ == kind_before_);
        return true;
    }

private:
    static constexpr int kNeverMerged = -1; // as QUndoCommand says

    Ablation& ablation_;
    HeadMask mask_before_;
    AblationKind kind_before_;
    HeadMask mask_;
    AblationKind kind_;
    int gesture_;
};

Ablation::Ablation(QObject* parent) : QObject(parent) {
    undo_.setUndoLimit(kMostSteps);
}

/// The undo stack emits signals when it is destroyed, and by then what views would read is gone.
Ablation::~Ablation() {
    undo_.disconnect();
}

void Ablation::setModel(std::shared_ptr<const Model> model) {
    model_ = std::move(model);
    mask_ = {};
    undo_.clear();
}

void Ablation::announce() {
    emit changed();
}

void Ablation::setKind(AblationKind kind) {
    if (kind == kind_)
        return;
    HeadMask mask;
    for (const auto& [head, old_kind] : mask_.heads())
        mask.set(head, kind);
    if (mask.empty())
        set(mask, kind);
    else
        push(mask, kind, kind == AblationKind::Zero ? tr("ablate by zero") : tr("ablate by mean"));
}

void Ablation::toggleHead(LayerHead head) {
    toggleHeads({head}, headName(head));
}

void Ablation::toggleHeads(const std::vector<LayerHead>& heads) {
    toggleHeads(heads, headNames(heads));
}

void Ablation::toggleHeads(const std::vector<LayerHead>& heads, const QString& name) {
    const auto exists = [this](LayerHead head) { return model_ && model_->spec.hasHead(head); };
    if (heads.empty() || !std::ranges::all_of(heads, exists))
        return;
    HeadMask mask = mask_;
    const bool ablated = areAblated(heads);
    for (const LayerHead head : heads) {
        if (ablated)
            mask.clear(head);
        else
            mask.set(head, kind_);
    }
    push(mask, kind_, (ablated ? tr("restore %1") : tr("ablate %1")).arg(name));
}

void Ablation::toggleGroup(LayerHead head) {
    if (model_)
        toggleHeads(model_->spec.groupOf(head),
                    tr("KV group %1 of layer %2").arg(model_->spec.kvHeadOf(head)).arg(head.layer));
}

void Ablation::toggleLayer(std::size_t layer) {
    if (model_)
        toggleHeads(headsOfLayer(model_->spec, layer), tr("layer %1").arg(layer));
}

bool Ablation::areAblated(const std::vector<LayerHead>& heads) const {
    return !heads.empty() &&
           std::ranges::all_of(heads, [this](LayerHead head) { return mask_.isAblated(head); });
}

void Ablation::clearMask() {
    if (!mask_.empty())
        push({}, kind_, tr("restore all heads"));
}

void Ablation::ablateOnly(const std::vector<LayerHead>& heads, AblationKind kind,
                          const QString& text, int gesture) {
    if (!model_)
        return;
    HeadMask mask;
    for (const LayerHead head : heads)
        mask.set(head, kind);
    if (mask != mask_ || kind != kind_)
        push(mask, kind, text, gesture);
}

std::vector<AblationStep> Ablation::undoSteps() const {
    std::vector<AblationStep> steps;
    for (int i = 0; i < undo_.index(); ++i)
        if (const auto* const step = dynamic_cast<const Step*>(undo_.command(i)))
            steps.push_back(step->before());
    return steps;
}

void Ablation::setUndoSteps(const std::vector<AblationStep>& steps) {
    const HeadMask mask = mask_;
    const AblationKind kind = kind_;
    is_rebuilding_ = true;
    undo_.clear();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool is_last = i + 1 == steps.size();
        mask_ = steps[i].mask;
        kind_ = steps[i].kind;
        push(is_last ? mask : steps[i + 1].mask, is_last ? kind : steps[i + 1].kind,
             toQString(steps[i].text));
    }
    mask_ = mask;
    kind_ = kind;
    is_rebuilding_ = false;
    emit changed();
}

void Ablation::push(const HeadMask& mask, AblationKind kind, const QString& text, int gesture) {
    undo_.push(new Step(*this, mask, kind, text, gesture));
}

void Ablation::set(const HeadMask& mask, AblationKind kind) {
    const bool other_mask = mask != mask_;
    const bool other_kind = kind != kind_;
    mask_ = mask;
    kind_ = kind;
    if (is_rebuilding_)
        return;
    if (other_kind)
        emit kindChanged();
    emit changed();
    if (other_mask)
        emit maskChanged();
}

} // namespace headscope::ui

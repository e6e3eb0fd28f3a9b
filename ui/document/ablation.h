#pragma once

#include "core/base/layer_head.h"
#include "core/engine/head_mask.h"
#include "core/export/project_file.h"
#include "core/model/model.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <cstddef>
#include <memory>
#include <vector>

namespace headscope::ui {

/// Which heads are ablated and how; each change is a step that can be undone. Without a model there
/// are no heads, and what is asked of them does nothing. Lives on the GUI thread.
class Ablation : public QObject {
    Q_OBJECT

public:
    explicit Ablation(QObject* parent = nullptr);
    ~Ablation() override;

    /// Older ones cannot be undone: each holds two masks, of up to all heads.
    static constexpr int kMostSteps = 200;

    /// The heads are those of this model: none is ablated, and no step is left to be undone. Views
    /// hear of it by announce(), after they have heard of the model.
    void setModel(std::shared_ptr<const Model> model);
    void announce();

    const HeadMask& mask() const { return mask_; }
    AblationKind kind() const { return kind_; }
    /// Applies to the heads that are ablated and to those ablated from now on.
    void setKind(AblationKind kind);

    void toggleHead(LayerHead head);
    /// Ablates all of these heads, or restores them when all are ablated, as one step; does nothing
    /// when one of them is not there.
    void toggleHeads(const std::vector<LayerHead>& heads);
    /// `name` says in the undo step what they are: "layer 4".
    void toggleHeads(const std::vector<LayerHead>& heads, const QString& name);
    void toggleGroup(LayerHead head); ///< the heads of its KV group
    void toggleLayer(std::size_t layer);
    bool areAblated(const std::vector<LayerHead>& heads) const; ///< all of them, and there are some
    void clearMask();
    /// Ablates these heads and no others. Steps that follow one another in the same gesture, such
    /// as a drag, are undone as one; a gesture that ends where it began is no step. 0: no gesture.
    void ablateOnly(const std::vector<LayerHead>& heads, AblationKind kind, const QString& text,
                    int gesture = 0);
    QUndoStack* undoStack() { return &undo_; }

    /// What there was before each step that can be undone, the latest last.
    std::vector<AblationStep> undoSteps() const;
    /// The same to be undone again from what is ablated now.
    void setUndoSteps(const std::vector<AblationStep>& steps);

signals:
    void kindChanged(); ///< comes before changed(), so that views read nothing of the old kind
    void changed();     ///< the mask or the kind: what views show
    void maskChanged(); ///< comes after changed(), so that views show the mask before it is run

private:
    class Step;
    void push(const HeadMask& mask, AblationKind kind, const QString& text, int gesture = 0);
    void set(const HeadMask& mask, AblationKind kind);

    std::shared_ptr<const Model> model_;
    bool is_rebuilding_ = false; ///< the steps, without taking them
    HeadMask mask_;
    AblationKind kind_ = AblationKind::Zero;
    QUndoStack undo_;
};

} // namespace headscope::ui

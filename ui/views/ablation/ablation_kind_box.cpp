#include "ui/views/ablation/ablation_kind_box.h"

namespace headscope::ui {

AblationKindBox::AblationKindBox(Ablation& ablation, const QString& name, QWidget* parent)
    : QComboBox(parent), ablation_(ablation) {
    setObjectName(name);
    setAccessibleName(tr("What replaces the output of an ablated head"));
    setToolTip(tr("What replaces the output of an ablated head: zeros, or its mean over the "
                  "positions of this prompt"));
    addItems({tr("by zero"), tr("by its mean")});
    connect(this, &QComboBox::activated, &ablation_,
            [this](int index) { ablation_.setKind(static_cast<AblationKind>(index)); });
    connect(&ablation_, &Ablation::changed, this, &AblationKindBox::showKind);
    showKind();
}

void AblationKindBox::showKind() {
    setCurrentIndex(static_cast<int>(ablation_.kind()));
}

} // namespace headscope::ui

#include "ui/views/ablation/ablation_kind_box.h"

namespace headscope::ui {

AblationKindBox::AblationKindBox(Document& document, const QString& name, QWidget* parent)
    : QComboBox(parent), document_(document) {
    setObjectName(name);
    setAccessibleName(tr("What replaces the output of an ablated head"));
    setToolTip(tr("What replaces the output of an ablated head: zeros, or its mean over the "
                  "positions of this prompt"));
    addItems({tr("by zero"), tr("by its mean")});
    connect(this, &QComboBox::activated, &document_,
            [this](int index) { document_.setAblationKind(static_cast<AblationKind>(index)); });
    connect(&document_, &Document::maskChanged, this, &AblationKindBox::showKind);
    showKind();
}

void AblationKindBox::showKind() {
    setCurrentIndex(static_cast<int>(document_.ablationKind()));
}

} // namespace headscope::ui

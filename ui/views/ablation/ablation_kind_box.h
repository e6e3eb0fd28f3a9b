#pragma once

#include "ui/document/ablation.h"

#include <QComboBox>

namespace headscope::ui {

/// What replaces the output of an ablated head: shows the choice and changes it.
class AblationKindBox : public QComboBox {
    Q_OBJECT

public:
    AblationKindBox(Ablation& ablation, const QString& name, QWidget* parent);

private:
    void showKind();

    Ablation& ablation_;
};

} // namespace headscope::ui

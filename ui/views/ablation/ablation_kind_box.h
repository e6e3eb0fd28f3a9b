#pragma once

#include "ui/document/document.h"

#include <QComboBox>

namespace headscope::ui {

/// What replaces the output of an ablated head: shows the document's choice and changes it.
class AblationKindBox : public QComboBox {
    Q_OBJECT

public:
    AblationKindBox(Document& document, const QString& name, QWidget* parent);

private:
    void showKind();

    Document& document_;
};

} // namespace headscope::ui

#pragma once

#include "ui/document/document.h"
#include "ui/markup/markup.h"

#include <QString>
#include <QWidget>

class QCheckBox;
class QDoubleSpinBox;
class QPushButton;

namespace headscope::ui {

class MarkupLabel;

/// "Needed" and why, with the figures.
Markup effectMarkup(const AblationEffect& result);

/// Measures the effect of ablating the selected head where its types are read from.
class EffectPanel : public QWidget {
    Q_OBJECT

public:
    explicit EffectPanel(Document& document, QWidget* parent = nullptr);

private:
    void makeControls();
    void takeSettings();
    void showEffect();

    Document& document_;
    QPushButton* test_ = nullptr;
    QDoubleSpinBox* least_ = nullptr;
    QCheckBox* backups_ = nullptr;
    MarkupLabel* answer_ = nullptr;
};

} // namespace headscope::ui

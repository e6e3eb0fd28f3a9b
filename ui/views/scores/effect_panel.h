#pragma once

#include "ui/document/document.h"
#include "ui/markup/markup.h"

#include <QString>
#include <QWidget>

class QPushButton;

namespace headscope::ui {

class MarkupLabel;

/// "Ablating it has an effect here.", with the figures.
Markup effectMarkup(const AblationEffect& result);

/// Measures the effect of ablating the selected head where its first type is read from.
class EffectPanel : public QWidget {
    Q_OBJECT

public:
    explicit EffectPanel(Document& document, QWidget* parent = nullptr);

private:
    void showEffect();

    Document& document_;
    QPushButton* test_ = nullptr;
    MarkupLabel* answer_ = nullptr;
};

} // namespace headscope::ui

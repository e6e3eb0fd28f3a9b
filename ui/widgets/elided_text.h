#pragma once

#include "ui/widgets/labels.h"

#include <QToolButton>

namespace headscope::ui {

/// One line of plain text that is shortened where there is no room for it; the tool tip has all.
class ElidedLabel : public TextLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    bool isShortened() const;
};

/// A button whose text is shortened where there is no room for it.
class ElidedButton : public QToolButton {
    Q_OBJECT

public:
    using QToolButton::QToolButton;

    QString shownText() const;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace headscope::ui

#pragma once

#include <QToolButton>

namespace headscope::ui {

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

#pragma once

#include <QColor>
#include <QFrame>

namespace headscope::ui {

/// A frame on the colour of windows with a tint, pale enough for text in every theme.
class TintedFrame : public QFrame {
    Q_OBJECT

public:
    explicit TintedFrame(QColor tint, QWidget* parent = nullptr);

    void setTint(QColor tint);

protected:
    void changeEvent(QEvent* event) override;

private:
    void colour();

    QColor tint_;
};

} // namespace headscope::ui

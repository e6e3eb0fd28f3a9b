#pragma once

#include <QString>
#include <QVector>
#include <QWidget>

#include <optional>

namespace headscope::ui {

/// One token as a chip.
struct TokenChip {
    QString text;    ///< visible whitespace already applied
    QString tooltip; ///< id, position, loss …
    bool special = false;
    /// 0..1: tints the chip (attention of the locked row); nothing: plain.
    std::optional<double> weight;
};

/// A row of token chips that wraps to at most three lines and then scrolls. Hovering and clicking
/// report the position; Left, Right, Home and End click the neighbouring and outermost chips.
class TokenStrip : public QWidget {
    Q_OBJECT

public:
    explicit TokenStrip(QWidget* parent = nullptr);

    void setChips(QVector<TokenChip> chips);
    const QVector<TokenChip>& chips() const { return chips_; }
    /// Outlines a chip and scrolls it into sight.
    void setCurrent(std::optional<qsizetype> position);
    QRect chipRect(qsizetype position) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

signals:
    void chipHovered(qsizetype position);
    void hoverLeft();
    void chipClicked(qsizetype position);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void layOut(int width);

    QVector<TokenChip> chips_;
    QVector<QRect> rects_;
    std::optional<qsizetype> current_;
    int scroll_ = 0;
};

} // namespace headscope::ui

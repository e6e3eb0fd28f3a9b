#pragma once

#include "ui/widgets/accessible/painted.h"

#include <QString>
#include <QVector>
#include <QWidget>

#include <optional>
#include <span>

namespace headscope::ui {

/// One token as a chip.
struct TokenChip {
    QString text;    ///< visible whitespace already applied
    QString tooltip; ///< id, position, loss …
    bool special = false;
    /// 0..1: tints the chip (attention of the locked row); nothing: plain.
    std::optional<double> weight;
    /// −1..1: a bar at the foot, to the right for more and to the left for less; nothing: no bar.
    std::optional<double> change = std::nullopt;
    bool differs = false; ///< from what it is compared with: a thicker frame
    bool second = false;  ///< of the second of two texts: a line at the head
};

/// A row of token chips that wraps to at most three lines and then scrolls. Hovering and clicking
/// report the position; Left, Right, Home and End click the neighbouring and outermost chips,
/// Space and Return the current one again; with Ctrl, click and Space pick a chip instead. The
/// order is left to right whatever script the tokens are in.
class TokenStrip : public QWidget, public PaintedCells {
    Q_OBJECT

public:
    explicit TokenStrip(QWidget* parent = nullptr);

    void setChips(QVector<TokenChip> chips);
    const QVector<TokenChip>& chips() const { return chips_; }
    /// One per chip, or none; only repaints.
    void setWeights(std::span<const float> weights);
    /// One per chip, or none; only repaints.
    void setChanges(std::span<const double> changes);
    /// Underlines these chips; empty: none.
    void setUnderlined(qsizetype first, qsizetype end);
    bool isUnderlined(qsizetype position) const {
        return position >= underlined_from_ && position < underlined_to_;
    }
    /// Outlines a chip and scrolls it into sight.
    void setCurrent(std::optional<qsizetype> position);
    std::optional<qsizetype> current() const { return current_; }
    /// Scrolls by the least that shows the whole chip.
    void scrollIntoSight(qsizetype position);
    /// In widget coordinates, after scrolling.
    QRect chipRect(qsizetype position) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

signals:
    void chipHovered(qsizetype position);
    void hoverLeft();
    void chipClicked(qsizetype position);
    /// Clicked, or Space pressed, with Ctrl.
    void chipPicked(qsizetype position);
    void contextMenuRequested(qsizetype position, QPoint global);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void measure();
    QVector<QRect> rectsFor(int width) const; ///< unscrolled
    void layOut();
    void scrollTo(int offset);
    int contentHeight() const;
    int lineHeight() const;
    void setHovered(std::optional<qsizetype> position);
    std::optional<qsizetype> chipAt(QPoint position) const;
    QFont chipFont(const TokenChip& chip) const;
    void paintChip(QPainter& painter, qsizetype position) const;
    void paintSecond(QPainter& painter, const QRectF& chip) const;
    void paintChange(QPainter& painter, const QRectF& chip, double change) const;
    void paintScrollMark(QPainter& painter) const;
    void describe();

    bool isList() const override { return true; }
    int cellRows() const override { return static_cast<int>(chips_.size()); }
    int cellColumns() const override { return 1; }
    QString rowName(int row) const override;
    QString columnName(int) const override { return {}; }
    QString cellName(GridCell at) const override;
    QString cellDetails(GridCell at) const override;
    QRect cellArea(GridCell at) const override { return chipRect(at.row); }
    std::optional<GridCell> cellUnder(QPoint position) const override;
    std::optional<GridCell> currentCell() const override;
    QVector<GridCell> markedCells() const override;
    bool canBeChosen(GridCell) const override { return true; }
    void chooseCell(GridCell at) override;

    qsizetype underlined_from_ = 0;
    qsizetype underlined_to_ = 0;
    QVector<TokenChip> chips_;
    QVector<int> text_widths_;
    QVector<QRect> rects_;
    std::optional<qsizetype> current_;
    std::optional<qsizetype> hovered_;
    int scroll_ = 0;
};

} // namespace headscope::ui

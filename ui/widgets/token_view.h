#pragma once

#include "core/base/result.h"
#include "ui/widgets/token_content.h"

#include <QAbstractScrollArea>

#include <optional>

class QPainter;

namespace headscope::ui {

struct HeatmapTheme;

/// Where heads look, drawn at the tokens themselves: the common part of running text and of lines.
/// Knows nothing of models. Hovering reads a token, a click keeps it (the owner answers with
/// setCurrent()) until Escape or another click. Keyboard: Left, Right, Up and Down click the
/// neighbouring tokens, Home and End the outermost, Escape the current one again; Page Up and Page
/// Down scroll.
class TokenView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit TokenView(QWidget* parent = nullptr);

    void setContent(TokenContent content);
    const TokenContent& content() const { return content_; }
    /// Shows `message` in the middle and no tokens.
    void setEmpty(const QString& message);

    /// The token that is kept.
    void setCurrent(std::optional<std::size_t> token);
    std::optional<std::size_t> current() const { return current_; }
    /// Whether a token is read as a query or as a key, unless the pointer says so.
    void setDirection(TokenDirection direction);
    TokenDirection direction() const { return direction_; }

    struct Reading {
        std::size_t token = 0;
        TokenDirection direction = TokenDirection::Reads;

        bool operator==(const Reading&) const = default;
    };
    /// What is read: the token that is kept, else the one under the pointer, else where it rests.
    std::optional<Reading> reading() const;
    std::optional<std::size_t> hovered() const;
    /// Said of the current token to those who cannot see it.
    void setReadingText(const QString& text);

    /// Where a token is drawn, in coordinates of the viewport.
    QRect tokenRect(std::size_t token) const;
    /// Scrolls by the least that shows the whole token.
    void scrollTo(std::size_t token);

    /// Writes what is shown, by extension: .svg .pdf .png; whole or not at all, the same bytes for
    /// the same picture. Light colours whatever the window's theme. `width` is in logical pixels;
    /// the height is what the tokens need.
    Result<void> saveFigure(const QString& path, int width, double png_scale = 2.0) const;

    QSize sizeHint() const override { return {560, 520}; }

signals:
    void readingChanged();
    void tokenClicked(std::size_t token);
    void scrolled(); ///< or resized: other tokens are in sight

protected:
    // What the kinds of views do, in coordinates of the whole content.
    /// Places everything for this width.
    virtual void layOut(double width) = 0;
    virtual double contentHeight() const = 0;
    virtual QRectF rectOf(std::size_t token) const = 0;
    /// What is read where the user points at nothing.
    virtual std::optional<Reading> resting() const { return std::nullopt; }
    virtual std::optional<Reading> readingAt(QPointF position) const = 0;
    virtual std::size_t neighbour(std::size_t token, int lines) const = 0;
    virtual void draw(QPainter& painter, const QRectF& visible) const = 0;
    /// The height that a figure of this width needs, and how it is drawn.
    virtual double figureHeight(double width) const = 0;
    virtual void drawFigure(QPainter& painter, double width) const = 0;
    /// Content, theme or font changed.
    virtual void forget() {}

    HeatmapTheme theme() const;
    bool isEmpty() const { return content_.labels.isEmpty(); }

    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void place();
    void setHovered(std::optional<Reading> hovered);
    void describe();

    TokenContent content_;
    QString empty_text_;
    QString reading_text_;
    std::optional<std::size_t> current_;
    std::optional<Reading> hovered_;
    TokenDirection direction_ = TokenDirection::Reads;
};

} // namespace headscope::ui

#pragma once

#include "ui/widgets/token_view.h"
#include "ui/widgets/tokens/running_text.h"

namespace headscope::ui {

/// Tokens as running text, tinted by what one of them reads or by who reads it; several heads
/// underline. The last token is read where the user points at none.
class TokenText : public TokenView {
    Q_OBJECT

public:
    explicit TokenText(QWidget* parent = nullptr);

protected:
    void layOut(double width) override;
    double contentHeight() const override { return layout_.height(); }
    QRectF rectOf(std::size_t token) const override { return layout_.tokenRect(token); }
    std::optional<Reading> resting() const override;
    std::optional<Reading> readingAt(QPointF position) const override;
    std::size_t neighbour(std::size_t token, int lines) const override;
    void draw(QPainter& painter, const QRectF& visible) const override;
    double figureHeight(double width) const override;
    void drawFigure(QPainter& painter, double width) const override;
    void forget() override { marked_.reset(); }

private:
    QFont textFont() const;
    TextLayout figureLayout(double width) const;
    const TextMarks& marks() const;

    TextLayout layout_;
    mutable TextMarks marks_;
    mutable std::optional<Reading> marked_; ///< what the marks are of
};

} // namespace headscope::ui

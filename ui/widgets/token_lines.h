#pragma once

#include "ui/widgets/token_view.h"
#include "ui/widgets/tokens/lines_painter.h"

#include <QFont>

namespace headscope::ui {

/// Tokens as two columns, queries on the left and keys on the right, with a line for each weight
/// (the head view of Vig 2019). Reading a token leaves its lines alone; the pointer reads a token
/// of the right column as a key. Lines begin at tokens in sight.
class TokenLines : public TokenView {
    Q_OBJECT

public:
    explicit TokenLines(QWidget* parent = nullptr);

    /// The tokens in sight.
    CellRange rowsInSight() const;

protected:
    void layOut(double width) override;
    double contentHeight() const override;
    QRectF rectOf(std::size_t token) const override;
    std::optional<Reading> readingAt(QPointF position) const override;
    std::size_t neighbour(std::size_t token, int lines) const override;
    void draw(QPainter& painter, const QRectF& visible) const override;
    double figureHeight(double width) const override;
    void drawFigure(QPainter& painter, double width) const override;
    void forget() override;

private:
    LinesColumns columnsFor(double width, const QFont& font, double row_height) const;
    CellRange rowsWithin(const QRectF& area) const;
    CellRange figureRows() const;
    void paint(LinesPainter& lines, const CellRange& rows) const;
    /// [head] of [query, token]; kept while the same rows are in sight.
    const std::vector<Tensor>& weightsOf(const CellRange& queries) const;

    LinesColumns columns_;
    mutable CellRange known_rows_;
    mutable std::vector<Tensor> known_weights_;
};

} // namespace headscope::ui

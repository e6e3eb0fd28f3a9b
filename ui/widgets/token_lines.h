#pragma once

#include "ui/widgets/colours.h"
#include "ui/widgets/token_content.h"
#include "ui/widgets/token_view.h"

#include <QFont>
#include <QRectF>

#include <optional>
#include <vector>

class QPainter;

namespace headscope::ui {

/// Share of a head's full range from which on a value has a line.
constexpr double kLeastLineShare = 0.02;

constexpr double kLabelPadding = 8.0; ///< beside a label

/// Where the two columns of tokens are.
struct LinesColumns {
    double row_height = 0.0;
    double label_width = 0.0;
    double left = 0.0;  ///< end of the labels of queries, where lines begin
    double right = 0.0; ///< begin of the labels of keys

    QRectF queryRect(std::size_t token) const;
    QRectF keyRect(std::size_t token) const;
    double middleOf(std::size_t token) const;
};

/// Draws tokens in two columns and the lines between them.
class LinesPainter {
public:
    LinesPainter(QPainter& painter, const TokenContent& content, const LinesColumns& columns,
                 const HeatmapTheme& theme, const QFont& font);

    /// `read` is framed in its column.
    void paintLabels(const CellRange& rows, std::optional<std::size_t> read, bool as_key,
                     bool is_locked);
    /// The lines of these queries; strengths [head] of [query, key].
    void paintAll(const CellRange& queries, const std::vector<Tensor>& strengths);
    /// The lines of a query to its keys or of a key to the queries in `rows`, by strengths [token],
    /// and marks at those in `rows`.
    void paintOne(const CellRange& rows, int head, std::size_t token, TokenDirection direction,
                  const std::vector<float>& strengths);

private:
    void label(const QRectF& rect, const QString& text, Qt::Alignment side, bool is_framed,
               bool is_locked);
    void line(int head, std::size_t query, std::size_t key, float strength);
    void mark(const QRectF& label, int head, bool at_keys, float strength);
    float leastOf(int head) const;
    double marksWidth() const; ///< kept free for marks between labels and lines

    QPainter& painter_;
    const TokenContent& content_;
    const LinesColumns& columns_;
    HeatmapTheme theme_;
    QFont font_;
};

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

#pragma once

#include "ui/widgets/colours.h"
#include "ui/widgets/token_content.h"

#include <QFont>
#include <QHash>
#include <QRectF>

#include <cstddef>
#include <optional>
#include <vector>

class QPainter;

namespace headscope::ui {

/// Running text broken into lines at spaces, where a word would cross the right edge, and where the
/// text itself begins a new line. Pieces go from left to right whatever script they are in.
class TextLayout {
public:
    TextLayout() = default;
    /// `foot`: pixels kept free below each line.
    TextLayout(const QVector<TextPiece>& text, const QFont& font, double width, double foot);

    double height() const;
    double lineHeight() const { return line_height_; }
    double textHeight() const { return line_height_ - foot_ - kLineGap; }
    const QRectF& pieceRect(qsizetype piece) const {
        return rects_[static_cast<std::size_t>(piece)];
    }
    /// As its line shows it: without a space at its beginning.
    QString shownText(qsizetype piece) const;

    /// An equal part of its piece.
    QRectF tokenRect(std::size_t token) const;
    std::optional<std::size_t> tokenAt(QPointF position) const;
    /// The nearest token some lines further on; the token itself at the ends.
    std::size_t tokenBeside(std::size_t token, int lines) const;

    static constexpr double kLineGap = 4.0;

private:
    void place(double width);
    bool beginsWord(qsizetype piece) const;
    double wordWidth(qsizetype piece) const;
    double widthOf(const TextPiece& piece);

    QVector<TextPiece> text_;
    QFont font_;
    double foot_ = 0.0;
    double line_height_ = 0.0;
    double space_ = 0.0;              ///< width of a space
    std::vector<double> widths_;      ///< of the pieces
    std::vector<QRectF> rects_;       ///< of the pieces
    std::vector<qsizetype> piece_of_; ///< [token]
    QHash<std::pair<bool, QString>, double> known_widths_;
};

/// How a piece is shown on screen: line ends and tabs visible.
QString visibleText(const TextPiece& piece);

/// The font of a piece: special ones are italic.
QFont pieceFont(const TextPiece& piece, const QFont& font);

/// What is marked in a text.
struct TextMarks {
    std::vector<std::vector<float>> strengths; ///< [head][token]
    std::optional<std::size_t> read;           ///< the token that they are of: framed
    bool is_locked = false;                    ///< it stays where the pointer goes
};

/// Pixels that the marks of so many heads take below a line.
double footOf(qsizetype heads);

/// Draws the lines within `visible`. One head tints its tokens, several underline them. Tokens that
/// no head can see are faint.
void paintTokenText(QPainter& painter, const TokenContent& content, const TextLayout& layout,
                    const TextMarks& marks, const HeatmapTheme& theme, const QFont& font,
                    const QRectF& visible);

/// "● L4 H1  ● L2 H1" in the colours of the heads, from the origin on. With one head nothing is
/// drawn.
void paintHeadNames(QPainter& painter, const TokenContent& content, const HeatmapTheme& theme,
                    const QFont& font);

/// What that takes, and the gap below; 0 with one head.
double headNamesHeight(const TokenContent& content, const QFont& font);

/// The colour of a strength of a head beside others, which may have a sign where it is the only
/// head.
QColor tintOf(float strength, const TokenHead& head, int index, const QColor& background);

} // namespace headscope::ui

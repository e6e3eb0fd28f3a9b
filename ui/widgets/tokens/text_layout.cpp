#include "ui/widgets/tokens/text_layout.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr double kSpecialPadding = 4.0; ///< beside pieces that stand for no text

bool endsLine(const TextPiece& piece) {
    return !piece.special && piece.text.contains(QLatin1Char('\n'));
}

} // namespace

QFont pieceFont(const TextPiece& piece, const QFont& font) {
    QFont leaning = font;
    leaning.setItalic(piece.special);
    return leaning;
}

QString visibleText(const TextPiece& piece) {
    if (piece.special)
        return piece.text;
    QString text = piece.text;
    text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
    text.replace(QLatin1Char('\n'), piece.tokens > 0 ? QStringLiteral("⏎") : QStringLiteral(" "));
    return text.replace(QLatin1Char('\t'), QStringLiteral("⇥"));
}

TextLayout::TextLayout(const QVector<TextPiece>& text, const QFont& font, double width, double foot)
    : text_(text), font_(font), foot_(foot) {
    const QFontMetricsF metrics(font_);
    line_height_ = std::ceil(metrics.height()) + foot_ + kLineGap;
    space_ = metrics.horizontalAdvance(QLatin1Char(' '));
    widths_.reserve(static_cast<std::size_t>(text_.size()));
    for (qsizetype piece = 0; piece < text_.size(); ++piece) {
        widths_.push_back(widthOf(text_[piece]));
        for (std::size_t token = 0; token < text_[piece].tokens; ++token)
            piece_of_.push_back(piece);
    }
    place(width);
}

double TextLayout::widthOf(const TextPiece& piece) {
    const QString shown = visibleText(piece);
    const auto key = std::pair(piece.special, shown);
    auto found = known_widths_.constFind(key);
    if (found == known_widths_.constEnd())
        found = known_widths_.insert(
            key, QFontMetricsF(pieceFont(piece, font_)).horizontalAdvance(shown) +
                     (piece.special ? 2.0 * kSpecialPadding : 0.0));
    // Each token of a piece can be pointed at.
    return std::max(*found, space_ * static_cast<double>(piece.tokens));
}

bool TextLayout::beginsWord(qsizetype piece) const {
    return piece == 0 || text_[piece].special || text_[piece - 1].special ||
           text_[piece].text.startsWith(QLatin1Char(' ')) || endsLine(text_[piece - 1]) ||
           text_[piece - 1].text.endsWith(QLatin1Char(' '));
}

double TextLayout::wordWidth(qsizetype piece) const {
    double width = widths_[static_cast<std::size_t>(piece)];
    for (qsizetype next = piece + 1; next < text_.size() && !beginsWord(next); ++next)
        width += widths_[static_cast<std::size_t>(next)];
    return width;
}

void TextLayout::place(double width) {
    double x = 0.0;
    double y = 0.0;
    const auto beginLine = [&] {
        x = 0.0;
        y += line_height_;
    };
    bool word_fits = true;
    for (qsizetype piece = 0; piece < text_.size(); ++piece) {
        double needed = widths_[static_cast<std::size_t>(piece)];
        if (beginsWord(piece)) {
            const double word = wordWidth(piece);
            word_fits = word <= width;
            if (x > 0.0 && word_fits && x + word > width)
                beginLine();
        }
        if (x > 0.0 && !word_fits && x + needed > width)
            beginLine();
        if (x == 0.0 && text_[piece].text.size() > 1 &&
            text_[piece].text.front() == QLatin1Char(' '))
            needed -= space_;
        rects_.emplace_back(x, y, std::min(needed, width), line_height_ - foot_ - kLineGap);
        x += needed;
        if (endsLine(text_[piece]))
            beginLine();
    }
}

double TextLayout::height() const {
    return rects_.empty() ? 0.0 : rects_.back().top() + line_height_;
}

QString TextLayout::shownText(qsizetype piece) const {
    const QString text = visibleText(text_[piece]);
    const bool begins_line = pieceRect(piece).left() == 0.0;
    return begins_line && text.size() > 1 && text.front() == QLatin1Char(' ') ? text.mid(1) : text;
}

QRectF TextLayout::tokenRect(std::size_t token) const {
    const qsizetype piece = piece_of_[token];
    const QRectF& rect = pieceRect(piece);
    const double width = rect.width() / static_cast<double>(text_[piece].tokens);
    const auto place = static_cast<double>(token - text_[piece].first);
    return {rect.left() + width * place, rect.top(), width, rect.height()};
}

std::optional<std::size_t> TextLayout::tokenAt(QPointF position) const {
    if (rects_.empty() || position.y() < 0.0)
        return std::nullopt;
    const auto line = static_cast<int>(position.y() / line_height_);
    auto at = std::partition_point(rects_.begin(), rects_.end(), [&](const QRectF& rect) {
        return static_cast<int>((rect.top() + 1.0) / line_height_) < line;
    });
    for (; at != rects_.end() && at->top() <= position.y(); ++at) {
        if (position.x() < at->left() || position.x() >= at->right())
            continue;
        const TextPiece& piece = text_[at - rects_.begin()];
        if (piece.tokens == 0)
            return std::nullopt;
        const double part = (position.x() - at->left()) / at->width();
        return piece.first +
               std::min(piece.tokens - 1,
                        static_cast<std::size_t>(part * static_cast<double>(piece.tokens)));
    }
    return std::nullopt;
}

std::size_t TextLayout::tokenBeside(std::size_t token, int lines) const {
    const QRectF from = tokenRect(token);
    const double top = from.top() + lines * line_height_;
    std::size_t nearest = token;
    double least = -1.0;
    for (std::size_t other = 0; other < piece_of_.size(); ++other) {
        const QRectF rect = tokenRect(other);
        const double distance = std::abs(rect.center().x() - from.center().x());
        if (std::abs(rect.top() - top) < 1.0 && (least < 0.0 || distance < least)) {
            nearest = other;
            least = distance;
        }
    }
    return nearest;
}

} // namespace headscope::ui

#include "ui/widgets/tokens/running_text.h"

#include "ui/widgets/colours.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::ui {

namespace {

constexpr double kSpecialPadding = 4.0; ///< beside pieces without text

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

namespace {

constexpr double kUnderline = 3.0;
constexpr double kUnderlineStep = 4.0;
constexpr float kLeastStrength = 0.02f; ///< that can be seen
constexpr double kDeepest = 0.9;        ///< share of the colour at full strength
constexpr double kMore = 0.9;           ///< along a diverging map: the ends have less hue
constexpr double kLess = 0.1;
constexpr double kCorner = 3.0;
constexpr double kHeadDot = 9.0;  ///< of a head beside its name
constexpr double kNamesGap = 6.0; ///< under the names of heads

class TextPainter {
public:
    TextPainter(QPainter& painter, const TokenContent& content, const TextLayout& layout,
                const TextMarks& marks, const HeatmapTheme& theme, const QFont& font)
        : painter_(painter), content_(content), layout_(layout), marks_(marks), theme_(theme),
          font_(font) {}

    void piece(qsizetype index) {
        const TextPiece& piece = content_.text[index];
        QColor ground = theme_.background;
        bool is_hidden = piece.tokens > 0 && !marks_.strengths.empty();
        for (std::size_t token = piece.first; token < piece.first + piece.tokens; ++token) {
            ground = mark(token);
            is_hidden &= isHidden(token);
        }
        const QRectF& rect = layout_.pieceRect(index);
        painter_.setFont(pieceFont(piece, font_));
        painter_.setPen(is_hidden || piece.special ? faintOn(ground) : textOn(ground));
        painter_.drawText(rect,
                          Qt::TextSingleLine | Qt::AlignVCenter |
                              (piece.special ? Qt::AlignHCenter : Qt::AlignLeft) | Qt::TextDontClip,
                          layout_.shownText(index));
    }

    void frame() {
        if (!marks_.read || *marks_.read >= content_.tokens())
            return;
        painter_.setBrush(Qt::NoBrush);
        painter_.setPen(QPen(marks_.is_locked ? theme_.accent : theme_.text, 1.6));
        painter_.drawRoundedRect(layout_.tokenRect(*marks_.read).adjusted(-0.5, 0.0, 0.5, 0.0),
                                 kCorner, kCorner);
    }

private:
    float strength(std::size_t head, std::size_t token) const {
        return marks_.strengths[head][token];
    }

    bool isHidden(std::size_t token) const {
        return token != marks_.read &&
               std::ranges::all_of(marks_.strengths, [token](const std::vector<float>& of) {
                   return std::isnan(of[token]);
               });
    }

    /// Draws the marks of a token and returns the colour of the ground under its text.
    QColor mark(std::size_t token) {
        const QRectF rect = layout_.tokenRect(token);
        if (marks_.strengths.size() > 1)
            underline(token, rect);
        if (marks_.strengths.size() != 1 || !isSeen(strength(0, token)))
            return theme_.background;
        const QColor tint =
            tintOf(strength(0, token), content_.heads.front(), 0, theme_.background);
        painter_.setPen(Qt::NoPen);
        painter_.setBrush(tint);
        painter_.drawRoundedRect(rect, kCorner, kCorner);
        return tint;
    }

    void underline(std::size_t token, const QRectF& rect) {
        double y = rect.bottom() + 1.0;
        for (std::size_t head = 0; head < marks_.strengths.size(); ++head, y += kUnderlineStep) {
            const float value = strength(head, token);
            if (!isSeen(value))
                continue;
            const int index = static_cast<int>(head);
            const QColor hue = headColour(index, theme_.background);
            const QColor colour = blend(theme_.background, hue, std::fabs(double{value}));
            const QRectF bar(rect.left() + 1.0, y, std::max(3.0, rect.width() - 2.0), kUnderline);
            painter_.setPen(value < 0.0f ? QPen(colour, 1.0) : QPen(Qt::NoPen)); // hollow: less
            painter_.setBrush(value < 0.0f ? QBrush(Qt::NoBrush) : QBrush(colour));
            painter_.drawRect(value < 0.0f ? bar.adjusted(0.5, 0.5, -0.5, -0.5) : bar);
        }
    }

    static bool isSeen(float value) { return std::fabs(value) >= kLeastStrength; }

    QColor textOn(const QColor& ground) const {
        return ground == theme_.background ? theme_.text : readableOn(ground);
    }
    QColor faintOn(const QColor& ground) const {
        return ground == theme_.background ? theme_.faint : readableOn(ground);
    }

    QPainter& painter_;
    const TokenContent& content_;
    const TextLayout& layout_;
    const TextMarks& marks_;
    const HeatmapTheme& theme_;
    const QFont& font_;
};

} // namespace

double footOf(qsizetype heads) {
    return heads > 1 ? kUnderlineStep * static_cast<double>(heads) : 0.0;
}

QColor tintOf(float strength, const TokenHead& head, int index, const QColor& background) {
    const QColor hue = isDiverging(head.scale.map)
                           ? colourAt(divergingOn(background), strength > 0.0f ? kMore : kLess)
                           : headColour(index, background);
    return blend(background, hue, kDeepest * std::fabs(double{strength}));
}

void paintTokenText(QPainter& painter, const TokenContent& content, const TextLayout& layout,
                    const TextMarks& marks, const HeatmapTheme& theme, const QFont& font,
                    const QRectF& visible) {
    TextPainter text(painter, content, layout, marks, theme, font);
    for (qsizetype piece = 0; piece < content.text.size(); ++piece) {
        const QRectF& rect = layout.pieceRect(piece);
        if (rect.top() > visible.bottom())
            break;
        if (rect.top() + layout.lineHeight() >= visible.top())
            text.piece(piece);
    }
    text.frame();
}

double headNamesHeight(const TokenContent& content, const QFont& font) {
    return content.heads.size() > 1 ? QFontMetricsF(font).height() + kNamesGap : 0.0;
}

void paintHeadNames(QPainter& painter, const TokenContent& content, const HeatmapTheme& theme,
                    const QFont& font) {
    if (content.heads.size() < 2)
        return;
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    double x = 0.0;
    for (int head = 0; head < content.heads.size(); ++head) {
        const QString& name = content.heads[head].name;
        painter.setPen(Qt::NoPen);
        painter.setBrush(headColour(head, theme.background));
        painter.drawEllipse(QRectF(x, (metrics.height() - kHeadDot) / 2.0, kHeadDot, kHeadDot));
        painter.setPen(theme.text);
        painter.drawText(QPointF(x + kHeadDot + 5.0, metrics.ascent()), name);
        x += kHeadDot + 5.0 + metrics.horizontalAdvance(name) + 16.0;
    }
}

} // namespace headscope::ui

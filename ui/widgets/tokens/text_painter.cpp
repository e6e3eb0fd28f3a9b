#include "ui/widgets/tokens/text_painter.h"

#include "ui/widgets/colour_map.h"
#include "ui/widgets/type_colour.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
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

    /// Draws the marks of a token and returns the ground that its text stands on.
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

#include "ui/widgets/token_text.h"

#include "ui/widgets/colours.h"
#include "ui/widgets/figure/figure_file.h"

#include <QPainter>

namespace headscope::ui {
namespace {

// The text is there to be read: it is larger than that of controls, more so when there is little.
constexpr double kLargerText = 1.25;
constexpr double kShortTextLarger = 1.6;
constexpr std::size_t kShortText = 60; ///< tokens

double enlargement(std::size_t tokens) {
    return tokens > kShortText ? kLargerText : kShortTextLarger;
}

QFont paperFont(const QString& family, std::size_t tokens) {
    QFont font = figureFont(family);
    font.setPixelSize(static_cast<int>(font.pixelSize() * enlargement(tokens)));
    return font;
}

} // namespace

TokenText::TokenText(QWidget* parent) : TokenView(parent) {}

QFont TokenText::textFont() const {
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * enlargement(content().tokens()));
    return large;
}

void TokenText::layOut(double width) {
    layout_ = TextLayout(content().text, textFont(), width, footOf(content().heads.size()));
}

std::optional<TokenView::Reading> TokenText::resting() const {
    return isEmpty() ? std::nullopt : std::optional(Reading{content().tokens() - 1, direction()});
}

std::optional<TokenView::Reading> TokenText::readingAt(QPointF position) const {
    const auto token = layout_.tokenAt(position);
    return token ? std::optional(Reading{*token, direction()}) : std::nullopt;
}

std::size_t TokenText::neighbour(std::size_t token, int lines) const {
    return layout_.tokenBeside(token, lines);
}

const TextMarks& TokenText::marks() const {
    auto read = reading();
    if (read)
        read->direction = direction();
    if (read != marked_) {
        marks_.strengths.clear();
        for (qsizetype head = 0; read && head < content().heads.size(); ++head)
            marks_.strengths.push_back(
                strengthsAround(content().heads[head], read->token, read->direction));
        marked_ = read;
    }
    marks_.read = read ? std::optional(read->token) : std::nullopt;
    marks_.is_locked = current().has_value();
    return marks_;
}

void TokenText::draw(QPainter& painter, const QRectF& visible) const {
    paintTokenText(painter, content(), layout_, marks(), theme(), textFont(), visible);
}

TextLayout TokenText::figureLayout(double width) const {
    return {content().text, paperFont(font().family(), content().tokens()), width,
            footOf(content().heads.size())};
}

double TokenText::figureHeight(double width) const {
    return figureLayout(width).height();
}

void TokenText::drawFigure(QPainter& painter, double width) const {
    const TextLayout layout = figureLayout(width);
    paintTokenText(painter, content(), layout, marks(), HeatmapTheme::forPaper(),
                   paperFont(font().family(), content().tokens()),
                   QRectF(0.0, 0.0, width, layout.height()));
}

} // namespace headscope::ui

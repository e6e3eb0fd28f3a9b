#include "ui/widgets/tokens/token_figure.h"

#include "ui/widgets/colours.h"
#include "ui/widgets/figure/figure_file.h"
#include "ui/widgets/tokens/running_text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace headscope::ui {
namespace {

constexpr double kPageMargin = 16.0;
constexpr double kPartGap = 10.0;

double heightOfText(const QString& text, const QFont& font, double width) {
    return QFontMetricsF(font)
        .boundingRect(QRectF(0.0, 0.0, width, 1e6), Qt::TextWordWrap, text)
        .height();
}

/// Everything on the page from its top to its foot.
class Page {
public:
    Page(const TokenFigure& figure, double height)
        : figure_(figure), inner_height_(height), font_(figureFont(figure.font_family)),
          title_font_(font_), note_font_(font_) {
        title_font_.setBold(true);
        note_font_.setPixelSize(font_.pixelSize() - 2);
        title_height_ = heightOfText(figure.title, title_font_, figure.innerWidth());
        note_height_ = heightOfText(figure.note, note_font_, figure.innerWidth());
        names_height_ = headNamesHeight(*figure.content, font_);
    }

    QSize size() const {
        const double height = 2.0 * kPageMargin + title_height_ + names_height_ + inner_height_ +
                              note_height_ + 2.0 * kPartGap;
        return {figure_.width, static_cast<int>(std::ceil(height))};
    }

    void paint(QPainter& painter, const std::function<void(QPainter&)>& draw) const {
        const HeatmapTheme theme = HeatmapTheme::forPaper();
        const double width = figure_.innerWidth();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.translate(kPageMargin, kPageMargin);
        text(painter, figure_.title, title_font_, theme.text, {0.0, 0.0, width, title_height_});
        painter.translate(0.0, title_height_ + kPartGap);
        paintHeadNames(painter, *figure_.content, theme, font_);
        painter.translate(0.0, names_height_);
        painter.save();
        draw(painter);
        painter.restore();
        painter.translate(0.0, inner_height_ + kPartGap);
        text(painter, figure_.note, note_font_, theme.faint, {0.0, 0.0, width, note_height_});
    }

private:
    static void text(QPainter& painter, const QString& text, const QFont& font,
                     const QColor& colour, const QRectF& rect) {
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(rect, Qt::TextWordWrap | Qt::TextDontClip, text);
    }

    const TokenFigure& figure_;
    double inner_height_;
    QFont font_;
    QFont title_font_;
    QFont note_font_;
    double title_height_ = 0.0;
    double note_height_ = 0.0;
    double names_height_ = 0.0;
};

} // namespace

double TokenFigure::innerWidth() const {
    return width - 2.0 * kPageMargin;
}

Result<void> saveTokenFigure(const QString& path, const TokenFigure& figure, double height,
                             const std::function<void(QPainter&)>& draw) {
    const Page page(figure, height);
    return savePaintedFigure(
        path, {page.size(), figure.title, figure.note, figure.font_family, figure.png_scale},
        [&](QPainter& painter) { page.paint(painter, draw); });
}

} // namespace headscope::ui

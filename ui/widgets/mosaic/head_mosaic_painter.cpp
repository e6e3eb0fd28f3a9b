#include "ui/widgets/mosaic/head_mosaic_painter.h"

#include "ui/widgets/colours.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace headscope::ui {
namespace {

/// Below this side a second letter would be too small to read; a dot says that there is more.
constexpr int kSideForMoreLetters = 28;
/// Below this side a cell's name leaves no room for its value.
constexpr int kSideForNameAndValue = 24;
constexpr int kLeastTextPixels = 9;
constexpr double kFaded = 0.35;   ///< opacity
constexpr int kSideForRadius = 8; ///< below this side corners are not rounded
constexpr int kSideForThumbnailLetters = 36;
constexpr int kLensSide = 40;
constexpr int kLensMargin = 6;

} // namespace

MosaicPainter::MosaicPainter(QPainter& painter, const QPalette& palette, const MosaicLayout& layout)
    : painter_(painter), layout_(layout), window_(palette.color(QPalette::Window)),
      text_(palette.color(QPalette::WindowText)), accent_(palette.color(QPalette::Highlight)) {}

QColor MosaicPainter::mix(double text_share) const {
    return blend(window_, text_, text_share);
}

double MosaicPainter::radius() const {
    return layout_.side() < kSideForRadius ? 0.0 : std::clamp(layout_.side() / 7.0, 1.5, 6.0);
}

bool MosaicPainter::isColourOnly() const {
    return layout_.side() < kSideForLetters;
}

void MosaicPainter::paintEmpty(const QRect& area, const QString& text) {
    painter_.setPen(mix(0.6));
    painter_.drawText(area.adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap, text);
}

void MosaicPainter::paintAxes(const QString& row_name, const QString& column_name,
                              bool column_numbers) {
    painter_.setFont(layout_.headerFont());
    painter_.setPen(mix(0.6));
    painter_.drawText(layout_.columnNameRect(), Qt::AlignCenter, column_name);
    const QRect upright = layout_.rowNameRect();
    painter_.save();
    painter_.translate(upright.left(), upright.bottom() + 1);
    painter_.rotate(-90);
    painter_.drawText(QRect(0, 0, upright.height(), upright.width()), Qt::AlignCenter, row_name);
    painter_.restore();

    painter_.setPen(mix(0.8));
    for (int row = 0; row < layout_.grid().rows; row += layout_.rowNumberStep())
        painter_.drawText(layout_.rowNumberRect(row),
                          Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                          QString::number(row));
    const int step = layout_.columnNumberStep();
    for (int column = 0; column_numbers && column < layout_.grid().columns; column += step)
        painter_.drawText(layout_.columnNumberRect(column), Qt::AlignCenter | Qt::TextDontClip,
                          QString::number(column));
    paintBrackets();
}

void MosaicPainter::paintBrackets() {
    painter_.setPen(QPen(mix(0.6), 1.5, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter_.setBrush(Qt::NoBrush);
    for (int group = 0; group < layout_.groups(); ++group) {
        const QRectF bracket = QRectF(layout_.bracketRect(group)).adjusted(1.0, 1.0, -1.0, 0.0);
        if (bracket.width() <= 0.0)
            return;
        painter_.drawPolyline(QPolygonF{bracket.bottomLeft(), bracket.topLeft(), bracket.topRight(),
                                        bracket.bottomRight()});
    }
}

void MosaicPainter::paintCell(int row, int column, const MosaicCell& cell) {
    const QRect rect = layout_.cellRect(row, column);
    if (cell.removed)
        return paintGap(rect);
    QColor ground = mix(0.08);
    QColor fill = ground;
    if (cell.colour.isValid())
        fill = blend(ground, cell.colour, 0.3 + 0.7 * std::clamp(cell.strength, 0.0, 1.0));
    if (cell.ablated) {
        ground = blend(ground, window_, 0.7);
        fill = blend(fill, window_, 0.7);
    }
    QColor letters = paintChip(painter_, rect, radius(), cell.look, fill, ground);
    if (cell.ablated)
        letters = blend(fill, text_, cell.name.isEmpty() ? 0.6 : 1.0);
    const bool named = cell.thumbnail.isNull() && !cell.name.isEmpty();
    if (cell.ablated && named)
        paintAblated(rect); // the name stays readable
    if (!cell.thumbnail.isNull())
        paintThumbnail(rect, cell);
    else if (!isColourOnly() && (named || !cell.value.isEmpty()))
        paintValue(rect, cell, letters);
    else if (!isColourOnly())
        paintLetters(rect, cell, letters);
    if (cell.effect && !isColourOnly())
        paintEffect(rect, *cell.effect);
    if (cell.ablated && !named)
        paintAblated(rect);
}

void MosaicPainter::paintGap(const QRect& rect) {
    painter_.setPen(QPen(mix(0.25), 1.0, Qt::DotLine));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius(), radius());
}

void MosaicPainter::paintEffect(const QRect& rect, EffectMark effect) {
    // Upper left, where neither letters nor thumbnails have anything to say; the disc of background
    // below it parts it from every colour.
    const double side = std::clamp(rect.width() / 6.0, 4.0, 10.0);
    const QRectF mark(rect.left() + 3.0, rect.top() + 3.0, side, side);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(window_);
    painter_.drawEllipse(mark.adjusted(-1.8, -1.8, 1.8, 1.8));
    painter_.setPen(QPen(text_, 1.2));
    if (effect == EffectMark::Bar)
        return painter_.drawLine(QPointF(mark.left(), mark.center().y()),
                                 QPointF(mark.right(), mark.center().y()));
    painter_.setBrush(effect == EffectMark::Dot ? QBrush(text_) : QBrush(Qt::NoBrush));
    painter_.drawEllipse(mark);
}

void MosaicPainter::paintThumbnail(const QRect& rect, const MosaicCell& cell) {
    QPainterPath outline;
    outline.addRoundedRect(rect, radius(), radius());
    painter_.save();
    painter_.setClipPath(outline);
    painter_.setRenderHint(QPainter::SmoothPixmapTransform, cell.thumbnail.width() > rect.width());
    painter_.setOpacity(cell.ablated || cell.faded ? kFaded : 1.0);
    painter_.drawImage(rect, cell.thumbnail);
    painter_.restore();
    if (cell.letters.isEmpty() || layout_.side() < kSideForThumbnailLetters)
        return;
    // The upper right half of a causal pattern is empty: the letters sit there.
    QFont font = layout_.headerFont();
    font.setBold(true);
    painter_.setFont(font);
    const QFontMetrics metrics(font);
    const int height = metrics.height();
    const int width = std::max(height, metrics.horizontalAdvance(cell.letters) + 6);
    const QRect badge(rect.right() - width - 1, rect.top() + 3, width, height);
    const QColor fill = cell.colour.isValid() ? cell.colour : mix(0.2);
    painter_.setPen(paintChip(painter_, badge, 3.0, cell.look, fill, window_));
    painter_.drawText(badge, Qt::AlignCenter, cell.letters);
}

void MosaicPainter::paintLetters(const QRect& rect, const MosaicCell& cell, const QColor& colour) {
    const QString& letters = cell.letters;
    if (letters.isEmpty())
        return;
    const int side = layout_.side();
    const bool more = letters.size() > 1;
    const bool room = side >= kSideForMoreLetters;
    QFont font = layout_.headerFont();
    font.setBold(cell.look != ChipLook::Faint);
    font.setPixelSize(std::max(10, side * (more && room ? 48 : 54) / 100));
    painter_.setFont(font);
    painter_.setPen(colour);
    const int shift = more && room ? side / 9 : 0;
    painter_.drawText(rect.translated(-shift, -shift), Qt::AlignCenter | Qt::TextDontClip,
                      letters.left(1));
    if (!more)
        return;
    if (!room) {
        painter_.setPen(Qt::NoPen);
        painter_.setBrush(colour);
        painter_.drawEllipse(QPointF(rect.right() - 2.5, rect.top() + 3.5), 1.5, 1.5);
        return;
    }
    font.setBold(false);
    font.setPixelSize(std::max(9, side * 28 / 100));
    painter_.setFont(font);
    painter_.drawText(rect.adjusted(0, 0, -3, -2), Qt::AlignRight | Qt::AlignBottom,
                      letters.mid(1));
}

void MosaicPainter::paintValue(const QRect& rect, const MosaicCell& cell, const QColor& colour) {
    const int side = layout_.side();
    const int large = std::max(kLeastTextPixels, side * 38 / 100);
    const int small = std::max(kLeastTextPixels, side * 30 / 100);
    painter_.setPen(colour);
    if (cell.name.isEmpty())
        return paintText(rect, cell.value, large, cell.bold);
    if (side < kSideForNameAndValue || cell.value.isEmpty())
        return paintText(rect, cell.name, small, false);
    const int middle = side * 45 / 100;
    const int mark = cell.effect ? side / 5 : 0;
    paintText(rect.adjusted(mark, 1, 0, middle - side), cell.name, small, false);
    paintText(rect.adjusted(0, middle, 0, -1), cell.value, large, cell.bold);
}

void MosaicPainter::paintText(const QRect& rect, const QString& text, int pixels, bool bold) {
    QFont font = layout_.headerFont();
    font.setBold(bold);
    font.setPixelSize(pixels);
    painter_.setFont(font);
    painter_.drawText(rect, Qt::AlignCenter | Qt::TextDontClip, text);
}

void MosaicPainter::paintAblated(const QRect& rect) {
    const double inset = layout_.side() / 6.0;
    const QRectF inner = QRectF(rect).adjusted(inset, inset, -inset, -inset);
    const double width = std::min(2.0, layout_.side() / 6.0);
    painter_.setPen(QPen(window_, 2.25 * width, Qt::SolidLine, Qt::RoundCap));
    painter_.drawLine(inner.bottomLeft(), inner.topRight());
    painter_.setPen(QPen(mix(0.75), width, Qt::SolidLine, Qt::RoundCap));
    painter_.drawLine(inner.bottomLeft(), inner.topRight());
}

void MosaicPainter::paintHover(int row, int column) {
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(mix(0.55), 1.5));
    const QRectF rect = QRectF(layout_.cellRect(row, column)).adjusted(0.5, 0.5, -0.5, -0.5);
    painter_.drawRoundedRect(rect, radius(), radius());
}

void MosaicPainter::paintPointed(int row, int column) {
    const QRectF rect = layout_.cellRect(row, column);
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(window_, 4.5));
    painter_.drawRoundedRect(rect, radius(), radius());
    painter_.setPen(QPen(accent_, 3.0));
    painter_.drawRoundedRect(rect, radius(), radius());
}

void MosaicPainter::paintLens(int row, int column, const MosaicCell& cell, const QString& name,
                              const QRect& area) {
    const MosaicLayout one({1, 1, 1}, layout_.headerFont(), kLensSide);
    const QFontMetrics metrics(one.headerFont());
    const QRect over = layout_.cellRect(row, column);
    const int width = std::max(kLensSide, metrics.horizontalAdvance(name)) + 2 * kLensMargin;
    QRect box(0, 0, width, kLensSide + metrics.height() + 2 * kLensMargin);
    const bool has_room_above = over.top() - box.height() - kLensMargin >= area.top();
    box.moveLeft(std::clamp(over.center().x() - width / 2, area.left(),
                            std::max(area.left(), area.right() - width)));
    box.moveTop(has_room_above ? over.top() - box.height() - kLensMargin
                               : over.bottom() + kLensMargin);
    painter_.setPen(QPen(mix(0.4), 1.0));
    painter_.setBrush(window_);
    painter_.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 4.0, 4.0);
    painter_.setFont(one.headerFont());
    painter_.setPen(text_);
    painter_.drawText(box.adjusted(0, 0, 0, -kLensMargin / 2), Qt::AlignHCenter | Qt::AlignBottom,
                      name);
    painter_.save();
    painter_.translate(QPoint(box.center().x() - kLensSide / 2, box.top() + kLensMargin) -
                       one.cellRect(0, 0).topLeft());
    MosaicPainter large(*this);
    large.layout_ = one;
    large.paintCell(0, 0, cell);
    painter_.restore();
}

void MosaicPainter::paintChosen(int row, int column, int index) {
    const QRectF rect = layout_.cellRect(row, column);
    painter_.setBrush(Qt::NoBrush);
    if (isColourOnly()) {
        painter_.setPen(QPen(index < kHeadColours ? headColour(index, window_) : mix(0.5), 1.5));
        return painter_.drawRect(rect);
    }
    // A line of background parts the ring from the colour of the cell and from the selection.
    painter_.setPen(QPen(window_, 4.5));
    painter_.drawRoundedRect(rect.adjusted(1.5, 1.5, -1.5, -1.5), radius(), radius());
    painter_.setPen(QPen(index < kHeadColours ? headColour(index, window_) : mix(0.5), 2.5));
    painter_.drawRoundedRect(rect.adjusted(1.5, 1.5, -1.5, -1.5), radius(), radius());
}

void MosaicPainter::paintSelection(int row, int column, bool focused) {
    const QRectF rect = layout_.cellRect(row, column);
    painter_.setBrush(Qt::NoBrush);
    // A line of background between ring and cell keeps the ring in sight on every cell colour.
    painter_.setPen(QPen(window_, 1.5));
    painter_.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), radius(), radius());
    painter_.setPen(QPen(focused ? accent_ : text_, 2.0));
    painter_.drawRoundedRect(rect.adjusted(-1.0, -1.0, 1.0, 1.0), radius() + 1.0, radius() + 1.0);
}

} // namespace headscope::ui

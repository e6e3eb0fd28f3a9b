#pragma once

#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/mosaic/head_mosaic_layout.h"

#include <QPalette>

class QPainter;

namespace headscope::ui {

/// Below this side cells show their colour alone.
constexpr int kSideForLetters = 14;

/// Draws the parts of a HeadMosaic in the colours of a palette.
class MosaicPainter {
public:
    MosaicPainter(QPainter& painter, const QPalette& palette, const MosaicLayout& layout);

    void paintEmpty(const QRect& area, const QString& text);
    /// Names, numbers and the brackets of groups.
    void paintAxes(const QString& row_name, const QString& column_name, bool column_numbers);
    void paintCell(int row, int column, const MosaicCell& cell);
    void paintHover(int row, int column);
    /// A cell that is pointed at from elsewhere.
    void paintPointed(int row, int column);
    /// A cell that is too small to read, large and with its name, beside it and inside `area`.
    void paintLens(int row, int column, const MosaicCell& cell, const QString& name,
                   const QRect& area);
    /// A ring around a cell that is chosen with others, the `index`-th of them from 0.
    void paintChosen(int row, int column, int index);
    void paintSelection(int row, int column, bool focused);

private:
    void paintBrackets();
    void paintThumbnail(const QRect& rect, const MosaicCell& cell);
    void paintLetters(const QRect& rect, const MosaicCell& cell, const QColor& colour);
    void paintValue(const QRect& rect, const MosaicCell& cell, const QColor& colour);
    void paintText(const QRect& rect, const QString& text, int pixels, bool bold);
    void paintAblated(const QRect& rect);
    void paintGap(const QRect& rect);
    void paintEffect(const QRect& rect, EffectMark effect);
    bool isColourOnly() const;           ///< cells are too small for letters
    QColor mix(double text_share) const; ///< of the window's text into its background
    double radius() const;

    QPainter& painter_;
    MosaicLayout layout_;
    QColor window_;
    QColor text_;
    QColor accent_;
};

} // namespace headscope::ui

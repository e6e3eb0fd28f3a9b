#include "ui/widgets/heatmap_cells.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace headscope::ui {
namespace {

/// The cells [begin, end) that fall on one pixel; never empty.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const Span&) const = default;
};

std::vector<Span> spansOf(int pixels, double first, double length, std::size_t count) {
    const auto cell = [&](double pixel) {
        const double at = std::floor(first + pixel * length / pixels);
        return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(count)));
    };
    std::vector<Span> spans(static_cast<std::size_t>(pixels));
    for (int pixel = 0; pixel < pixels; ++pixel) {
        // Cells wider than a pixel are chosen by the middle of the pixel.
        const bool wide = length <= pixels;
        const std::size_t begin = std::min(cell(wide ? pixel + 0.5 : pixel), count - 1);
        const std::size_t end = wide ? begin + 1 : cell(pixel + 1.0);
        spans[static_cast<std::size_t>(pixel)] = {begin, std::clamp(end, begin + 1, count)};
    }
    return spans;
}

/// Smallest and largest of some values; NaN never enters, because it compares false.
struct Extremes {
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();

    void add(float value) {
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    void add(const Extremes& other) {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
    /// NaN when there was no value.
    float strongest(bool by_magnitude) const {
        if (high < low)
            return std::numeric_limits<float>::quiet_NaN();
        return by_magnitude && std::fabs(low) > std::fabs(high) ? low : high;
    }
};

/// The extremes of each column over `rows`.
void poolRows(MatrixView values, Span rows, std::vector<Extremes>& pooled) {
    pooled.assign(values.cols, {});
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const float* source = values.row(row);
        for (std::size_t column = 0; column < values.cols; ++column)
            pooled[column].add(source[column]);
    }
}

Extremes extremesOf(MatrixView values) {
    Extremes extremes;
    for (std::size_t row = 0; row < values.rows; ++row) {
        for (std::size_t column = 0; column < values.cols; ++column)
            extremes.add(values(row, column));
    }
    return extremes;
}

} // namespace

CellColours coloursFor(ColourMap map, const std::optional<std::pair<double, double>>& fixed,
                       MatrixView values) {
    const bool diverging = isDiverging(map);
    if (fixed && fixed->second > fixed->first)
        return {map, fixed->first, fixed->second};
    const auto best = static_cast<double>(extremesOf(values).strongest(diverging));
    const double high = diverging ? std::fabs(best) : best;
    const double bound = std::isfinite(high) && high > 0.0 ? high : 1.0;
    return {map, diverging ? -bound : 0.0, bound};
}

QRgb cellColour(float value, const CellColours& colours) {
    if (std::isnan(value))
        return qRgba(0, 0, 0, 0);
    return rgbAt(colours.map, fractionOf(static_cast<double>(value), colours));
}

QImage renderCells(MatrixView values, const QRectF& visible, QSize pixels,
                   const CellColours& colours) {
    QImage image(pixels, QImage::Format_ARGB32_Premultiplied);
    const auto rows = spansOf(pixels.height(), visible.top(), visible.height(), values.rows);
    const auto columns = spansOf(pixels.width(), visible.left(), visible.width(), values.cols);
    const std::size_t line_bytes = columns.size() * sizeof(QRgb);
    std::vector<Extremes> pooled;
    for (std::size_t y = 0; y < rows.size(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y)));
        if (y > 0 && rows[y] == rows[y - 1]) {
            std::memcpy(line, image.constScanLine(static_cast<int>(y) - 1), line_bytes);
            continue;
        }
        poolRows(values, rows[y], pooled);
        for (std::size_t x = 0; x < columns.size(); ++x) {
            Extremes cell = pooled[columns[x].begin];
            for (std::size_t column = columns[x].begin + 1; column < columns[x].end; ++column)
                cell.add(pooled[column]);
            line[x] = cellColour(cell.strongest(isDiverging(colours.map)), colours);
        }
    }
    return image;
}

} // namespace headscope::ui

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

constexpr double kDecades = 4.0;

/// `share` of the range, 0..1.
double scaled(double share, ValueScale scale) {
    switch (scale) {
    case ValueScale::Linear:
        return share;
    case ValueScale::SquareRoot:
        return std::sqrt(std::max(0.0, share));
    case ValueScale::Logarithmic:
        break;
    }
    return share > 0.0 ? std::max(0.0, 1.0 + std::log10(share) / kDecades) : 0.0;
}

} // namespace

double fractionOf(double value, const CellColours& colours) {
    if (!isDiverging(colours.map))
        return scaled((value - colours.low) / (colours.high - colours.low), colours.scale);
    const double middle = (colours.low + colours.high) / 2.0;
    const double half = (colours.high - colours.low) / 2.0;
    const double way = scaled(std::fabs(value - middle) / half, colours.scale) / 2.0;
    return value < middle ? 0.5 - way : 0.5 + way;
}

std::vector<double> scaleMarks(const CellColours& colours) {
    const bool logarithmic = colours.scale == ValueScale::Logarithmic;
    if (isDiverging(colours.map)) {
        const std::vector<double> shares =
            logarithmic ? std::vector{0.01, 0.1, 1.0} : std::vector{0.1, 0.4, 1.0};
        std::vector<double> marks{0.0};
        for (const double share : shares) {
            marks.push_back(share * colours.high);
            marks.insert(marks.begin(), -share * colours.high);
        }
        return marks;
    }
    const std::vector<double> shares = logarithmic ? std::vector{1e-4, 1e-3, 1e-2, 0.1, 1.0}
                                                   : std::vector{0.0, 0.01, 0.05, 0.2, 0.5, 1.0};
    std::vector<double> marks;
    marks.reserve(shares.size());
    for (const double share : shares)
        marks.push_back(colours.low + share * (colours.high - colours.low));
    return marks;
}

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
    const double fraction = fractionOf(static_cast<double>(value), colours);
    const double entry = std::clamp(fraction * 256.0, 0.0, 255.0);
    return colourTable(colours.map)[static_cast<std::size_t>(entry)];
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

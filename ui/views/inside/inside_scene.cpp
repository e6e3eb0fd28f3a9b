#include "ui/views/inside/inside_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::ui {
namespace {

constexpr double kSmaller = 0.88;

/// How far an abscissa is from a cell.
double distanceTo(const QRectF& area, double x) {
    return std::max({area.left() - x, x - area.right(), 0.0});
}

/// The cell of a line that is nearest to an abscissa.
InsidePlace nearestIn(const InsideScene& scene, qsizetype line, double x) {
    InsidePlace found{line, 0, 0};
    double least = std::numeric_limits<double>::max();
    const auto& runs = scene.lines[line].runs;
    for (qsizetype run = 0; run < runs.size(); ++run) {
        const double distance = distanceTo(runs[run].area, x);
        if (distance >= least)
            continue;
        least = distance;
        found.run = run;
    }
    const InsideRun& run = runs[found.run];
    found.cell = run.cellAt(std::clamp(x, run.area.left(), run.area.right()));
    return found;
}

InsidePlace beside(const InsideScene& scene, InsidePlace place, int columns) {
    const auto& runs = scene.lines[place.line].runs;
    if (columns > 0) {
        if (place.cell + 1 < runs[place.run].cells())
            ++place.cell;
        else if (place.run + 1 < runs.size())
            place = {place.line, place.run + 1, 0};
    } else if (place.cell > 0) {
        --place.cell;
    } else if (place.run > 0) {
        place = {place.line, place.run - 1, runs[place.run - 1].cells() - 1};
    }
    return place;
}

} // namespace

InsideCell InsideRun::cell(std::size_t place) const {
    const std::size_t first = place * pooled;
    return {part, row, first, std::min(pooled, count - first)};
}

QRectF InsideRun::cellArea(std::size_t place) const {
    const double width = area.width() / static_cast<double>(cells());
    return {area.left() + static_cast<double>(place) * width, area.top(), width, area.height()};
}

std::size_t InsideRun::cellAt(double x) const {
    const double share = (x - area.left()) / std::max(1e-9, area.width());
    const auto place =
        static_cast<std::size_t>(std::max(0.0, std::floor(share * static_cast<double>(cells()))));
    return std::min(place, cells() - 1);
}

InsideCell cellIn(const InsideScene& scene, const InsidePlace& place) {
    return scene.lines[place.line].runs[place.run].cell(place.cell);
}

QRectF areaIn(const InsideScene& scene, const InsidePlace& place) {
    return scene.lines[place.line].runs[place.run].cellArea(place.cell);
}

std::optional<InsidePlace> placeAt(const InsideScene& scene, QPointF position) {
    for (qsizetype line = 0; line < scene.lines.size(); ++line) {
        const InsideLine& shown = scene.lines[line];
        if (position.y() < shown.area.top() || position.y() >= shown.area.bottom())
            continue;
        for (qsizetype run = 0; run < shown.runs.size(); ++run) {
            const QRectF& area = shown.runs[run].area;
            if (position.x() >= area.left() && position.x() < area.right())
                return InsidePlace{line, run, shown.runs[run].cellAt(position.x())};
        }
    }
    return std::nullopt;
}

std::optional<InsidePlace> firstPlace(const InsideScene& scene) {
    for (qsizetype line = 0; line < scene.lines.size(); ++line)
        if (!scene.lines[line].runs.isEmpty())
            return InsidePlace{line, 0, 0};
    return std::nullopt;
}

InsidePlace neighbourOf(const InsideScene& scene, const InsidePlace& place, int columns,
                        int lines) {
    if (lines == 0)
        return beside(scene, place, columns);
    const double x = areaIn(scene, place).center().x();
    qsizetype line = place.line + lines;
    while (line >= 0 && line < scene.lines.size() && scene.lines[line].runs.isEmpty())
        line += lines;
    return line >= 0 && line < scene.lines.size() ? nearestIn(scene, line, x) : place;
}

std::optional<InsidePlace> placeOf(const InsideScene& scene, const InsideCell& cell) {
    for (qsizetype line = 0; line < scene.lines.size(); ++line)
        for (qsizetype run = 0; run < scene.lines[line].runs.size(); ++run) {
            const InsideRun& shown = scene.lines[line].runs[run];
            if (shown.part == cell.part && shown.row == cell.row && cell.index < shown.count)
                return InsidePlace{line, run, cell.index / shown.pooled};
        }
    return std::nullopt;
}

QFont smallerFont(QFont font) {
    if (font.pixelSize() > 0)
        font.setPixelSize(static_cast<int>(std::lround(kSmaller * font.pixelSize())));
    else
        font.setPointSizeF(kSmaller * font.pointSizeF());
    return font;
}

} // namespace headscope::ui

#pragma once

#include "core/base/result.h"

#include <QFont>
#include <QSize>
#include <QString>

#include <functional>

class QCPPainter;
class QPainter;

namespace headscope::ui {

/// How large a figure is, and what its file says of it.
struct FigurePage {
    QSize size; ///< pixels of 1/96 inch
    QString title;
    QString note;
    QString font_family;
    double png_scale = 1.0;
};

/// The font of a figure, which does not depend on the screen.
QFont figureFont(const QString& family);

/// Draws on a page of FigurePage::size; `vector`: in lines and text, not in pixels.
using DrawFigure = std::function<void(QCPPainter& painter, bool vector)>;

/// Writes a figure by the extension of `path`: .svg, .pdf or .png; whole or not at all, the same
/// bytes for the same figure.
Result<void> saveFigureFile(const QString& path, const FigurePage& page, const DrawFigure& draw);

/// The same of what is drawn alike in vectors and pixels.
Result<void> savePaintedFigure(const QString& path, const FigurePage& page,
                               const std::function<void(QPainter&)>& draw);

} // namespace headscope::ui

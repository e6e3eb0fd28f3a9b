#pragma once

#include "core/base/result.h"
#include "ui/widgets/token_content.h"

#include <QString>

#include <functional>

class QPainter;

namespace headscope::ui {

/// What is around the tokens of a figure.
struct TokenFigure {
    QString title;
    QString note;
    const TokenContent* content = nullptr; ///< whose heads are named
    int width = 0;                         ///< logical pixels of the page
    QString font_family;
    double png_scale = 1.0;

    double innerWidth() const; ///< without margins
};

/// Writes a page with a title, the colours of the heads, what `draw` draws from the origin down in
/// `height` pixels, and the note. By extension: .svg, .pdf or .png.
Result<void> saveTokenFigure(const QString& path, const TokenFigure& figure, double height,
                             const std::function<void(QPainter&)>& draw);

} // namespace headscope::ui

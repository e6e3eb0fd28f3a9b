#pragma once

#include "core/base/result.h"

#include <QString>

#include <optional>

namespace headscope::ui {

/// A picture of one head's pattern without a window.
struct FigureRequest {
    QString model;               ///< empty: the first sample model
    std::optional<QString> text; ///< none: the model's default prompt
    QString head;                ///< "4.1"; empty: 0.0
    QString path;                ///< .svg, .pdf or .png
};

Result<void> renderFigure(const FigureRequest& request);

} // namespace headscope::ui

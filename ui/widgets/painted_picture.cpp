#include "ui/widgets/painted_picture.h"

#include "ui/widgets/figure/figure_file.h"

namespace headscope::ui {

QFont PaintedPicture::fontOfFigure() const {
    return figureFont(font().family());
}

Result<void> PaintedPicture::saveDrawn(const QString& path, QSize size, const QString& title,
                                       const QString& note,
                                       const std::function<void(QPainter&)>& draw) const {
    constexpr double kPngScale = 2.0;
    return savePaintedFigure(path, {size, title, note, font().family(), kPngScale}, draw);
}

} // namespace headscope::ui

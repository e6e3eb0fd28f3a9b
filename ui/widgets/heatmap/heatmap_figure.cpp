#include "ui/widgets/heatmap/heatmap_figure.h"

#include "ui/widgets/figure/figure_file.h"
#include "ui/widgets/heatmap/heatmap_plot.h"

namespace headscope::ui {
namespace {

std::unique_ptr<HeatmapPlot> composed(const HeatmapFigure& figure, bool vector) {
    auto plot = std::make_unique<HeatmapPlot>();
    plot->setTheme(HeatmapTheme::forPaper(), figureFont(figure.font_family));
    plot->setColouring(figure.map, figure.range, figure.scale);
    plot->setContent(figure.content);
    plot->setNoteShown(true);
    plot->layOut(figure.size);
    plot->setVisibleArea(figure.visible_area);
    if (const auto missing = plot->missingTile(vector ? kVectorScale : figure.png_scale))
        plot->sharpen(std::make_shared<CellTile>(figure.content.cells->tile(*missing)));
    return plot;
}

} // namespace

Result<void> saveHeatmapFigure(const QString& path, const HeatmapFigure& figure) {
    const FigurePage page{figure.size, figure.content.title, figure.content.note,
                          figure.font_family, figure.png_scale};
    return saveFigureFile(path, page, [&figure](QCPPainter& painter, bool vector) {
        composed(figure, vector)->toPainter(&painter, figure.size.width(), figure.size.height());
    });
}

} // namespace headscope::ui

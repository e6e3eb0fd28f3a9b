#include "ui/views/grid/head_choice.h"

#include "ui/widgets/head_mosaic.h"

#include <QScrollArea>

#include <vector>

namespace headscope::ui {
namespace {

/// Places where no head stands are not offered by the mosaic.
LayerHead headInCell(GridCell cell, const HeadOrder& order) {
    return order.headAt(cell.row, cell.column).value_or(headAt(cell.row, cell.column));
}

GridCell gridCellOf(LayerHead head, const HeadOrder& order) {
    return {static_cast<int>(head.layer), order.columnOf(head)};
}

} // namespace

void connectHeadChoice(HeadMosaic& mosaic, Document& document, const HeadOrder& order) {
    QObject::connect(&mosaic, &HeadMosaic::selected, &document,
                     [&document, &order](int row, int column) {
                         document.selection().select(headInCell({row, column}, order));
                     });
    QObject::connect(&mosaic, &HeadMosaic::severalChosen, &document, [&mosaic, &document, &order] {
        std::vector<LayerHead> heads;
        for (const GridCell cell : mosaic.chosenCells())
            heads.push_back(headInCell(cell, order));
        document.selection().choose(
            heads, headInCell({mosaic.selectedRow(), mosaic.selectedColumn()}, order));
    });
    QObject::connect(&mosaic, &HeadMosaic::toggleRequested, &document, [&document] {
        document.ablation().toggleHeads(document.selection().chosen());
    });
    QObject::connect(
        &document.selection(), &Selection::pointedAtChanged, &mosaic, [&mosaic, &document, &order] {
            const auto head = document.selection().pointedAt();
            mosaic.setPointed(head ? std::optional(gridCellOf(*head, order)) : std::nullopt);
        });
}

void followZoom(HeadMosaic& mosaic, QScrollArea& area) {
    QObject::connect(
        &mosaic, &HeadMosaic::zoomed, &area,
        [&mosaic, &area](int row, int column) {
            const QRect cell = mosaic.cellRect(row, column);
            const QSize half = area.viewport()->size() / 2;
            area.ensureVisible(cell.center().x(), cell.center().y(), half.width(), half.height());
        },
        Qt::QueuedConnection);
}

void showHeadChoice(HeadMosaic& mosaic, const Document& document, const HeadOrder& order) {
    if (!document.model())
        return;
    QVector<GridCell> cells;
    for (const LayerHead head : document.selection().chosen())
        cells << gridCellOf(head, order);
    mosaic.setChosen(cells, gridCellOf(document.selection().head(), order));
}

} // namespace headscope::ui

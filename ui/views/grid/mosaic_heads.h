#pragma once

#include "core/base/layer_head.h"
#include "core/heads/head_score.h"
#include "ui/document/document.h"
#include "ui/widgets/head_mosaic.h"

#include <QVector>

#include <cstddef>
#include <optional>
#include <vector>

class QScrollArea;

namespace headscope::ui {

/// The head of a cell of the grid: rows are layers, columns heads by their number.
LayerHead headAt(int row, int column);

/// Which head is at which place of a grid whose rows are layers.
class HeadOrder {
public:
    /// By number.
    HeadOrder() = default;
    /// The heads of each layer by this score, the highest first, undefined ones last.
    HeadOrder(const HeadScores& scores, HeadTypeId type);

    bool isByNumber() const { return heads_.empty(); }
    /// Nothing after the last head of a sorted row.
    std::optional<LayerHead> headAt(int row, int column) const;
    int columnOf(LayerHead head) const;

private:
    std::vector<std::vector<std::size_t>> heads_; ///< of each layer; empty: by number
};

class HeadMosaic;

/// Lets the user choose heads of the document in a mosaic, whose places `order` explains: one or
/// several at once. The head that is pointed at elsewhere has a ring. Delete ablates or restores
/// all that are chosen.
void connectHeadChoice(HeadMosaic& mosaic, Document& document, const HeadOrder& order);

/// Scrolls to where the user zooms, once the cells have their new size.
void followZoom(HeadMosaic& mosaic, QScrollArea& area);

/// Shows which heads are chosen.
void showHeadChoice(HeadMosaic& mosaic, const Document& document, const HeadOrder& order);

/// What the cells of a grid of heads show.
struct CellChoice {
    std::optional<HeadTypeId> score; ///< its values, on one scale from 0 to 1; none: types
    HeadOrder order;
};

/// The cells of the head grid, row-major: letters and colour of the types that are shown, or the
/// values of a score.
QVector<MosaicCell> headCells(const Document& document, const CellChoice& choice);

} // namespace headscope::ui

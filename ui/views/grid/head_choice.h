#pragma once

#include "ui/document/document.h"
#include "ui/views/grid/head_order.h"

class QScrollArea;

namespace headscope::ui {

class HeadMosaic;

/// Lets the user choose heads of the document in a mosaic, whose places `order` explains: one or
/// several at once. The head that is pointed at elsewhere has a ring. Delete ablates or restores
/// all that are chosen.
void connectHeadChoice(HeadMosaic& mosaic, Document& document, const HeadOrder& order);

/// Scrolls to where the user zooms, once the cells have their new size.
void followZoom(HeadMosaic& mosaic, QScrollArea& area);

/// Shows which heads are chosen.
void showHeadChoice(HeadMosaic& mosaic, const Document& document, const HeadOrder& order);

} // namespace headscope::ui

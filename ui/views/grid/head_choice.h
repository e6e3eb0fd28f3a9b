#pragma once

#include "ui/document/document.h"
#include "ui/views/grid/head_order.h"

namespace headscope::ui {

class HeadMosaic;

/// Lets the user choose heads of the document in a mosaic, whose places `order` explains: one or
/// several at once. Delete ablates or restores all that are chosen.
void connectHeadChoice(HeadMosaic& mosaic, Document& document, const HeadOrder& order);

/// Shows which heads are chosen.
void showHeadChoice(HeadMosaic& mosaic, const Document& document, const HeadOrder& order);

} // namespace headscope::ui

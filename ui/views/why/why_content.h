#pragma once

#include "ui/document/why_reading.h"
#include "ui/tables/number_table.h"
#include "ui/widgets/trace_graph.h"

#include <QImage>
#include <QList>

#include <map>

namespace headscope::ui {

/// The graph of a trace: tokens as columns, depths as rows.
TraceContent traceContent(const WhyReading& reading);

/// The pattern of each node of the trace, null for those that are no heads.
QList<QImage> tracePictures(const WhyReading& reading, const std::map<LayerHead, Tensor>& patterns);

/// Columns and rows of the table of one side of the head.
QList<NumberTable::Column> sideColumns(HeadSide side);
QList<NumberTable::Row> sideRows(const WhyReading& reading, HeadSide side);

/// "at 2 ·Mary the key reads" and the like, the line above a table.
QString sideHeading(const WhyReading& reading, HeadSide side);

} // namespace headscope::ui

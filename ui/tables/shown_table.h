#pragma once

#include "core/base/table.h"
#include "ui/tables/number_table.h"

#include <QList>

#include <span>

namespace headscope::ui {

// What of a core table is shown on screen, for NumberTable.

QList<NumberTable::Column> shownColumns(std::span<const Column> columns);
/// Numbers as such, so that they sort and have bars; everything else as its text.
QList<NumberTable::Row> shownRows(const Table& table);

} // namespace headscope::ui

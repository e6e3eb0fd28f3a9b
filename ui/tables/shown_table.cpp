#include "ui/tables/shown_table.h"

#include "ui/tables/head_text.h"

#include <cstdint>
#include <variant>

namespace headscope::ui {
namespace {

QVariant shownCell(const Value& value, int decimals) {
    if (const auto* real = std::get_if<double>(&value.held))
        return *real;
    if (const auto* real = std::get_if<float>(&value.held))
        return static_cast<double>(*real);
    if (const auto* count = std::get_if<std::int64_t>(&value.held))
        return static_cast<qlonglong>(*count);
    return toQString(shownText(value, decimals));
}

} // namespace

QList<NumberTable::Column> shownColumns(std::span<const Column> columns) {
    QList<NumberTable::Column> shown;
    for (const Column& column : columns)
        if (!column.title.empty())
            shown.append(
                {toQString(headingText(column)), toQString(column.meaning), column.decimals});
    return shown;
}

QList<NumberTable::Row> shownRows(const Table& table) {
    QList<NumberTable::Row> rows;
    for (const TableRow& row : table.rows) {
        NumberTable::Row shown;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (!table.columns[i].title.empty())
                shown.append(shownCell(row[i], table.columns[i].decimals));
        rows.append(std::move(shown));
    }
    return rows;
}

} // namespace headscope::ui

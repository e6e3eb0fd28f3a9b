#pragma once

#include "core/model/model.h"
#include "ui/tables/number_table.h"

#include <QList>
#include <QPair>
#include <QString>

namespace headscope::ui {

/// Label and text of each line of the model card.
QList<QPair<QString, QString>> cardLines(const Model& model, const ModelCard& card);

/// Matrix, shape, parameters of one, how many, parameters of all.
QList<NumberTable::Column> matrixColumns();
QList<NumberTable::Row> matrixRows(const ModelCard& card);

/// What, name, what became of it.
QList<NumberTable::Column> reportColumns();
QList<NumberTable::Row> reportRows(const LoadReport& report);

/// "gpt2 · 6 layers × 8 heads · 5.9 M parameters", and "6 layers, 37 heads" where some were removed
QString modelSummary(const Model& model, const ModelCard& card);

/// "5.9 M", "4192"
QString countText(std::size_t count);

} // namespace headscope::ui

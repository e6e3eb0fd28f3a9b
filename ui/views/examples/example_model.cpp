#include "ui/views/examples/example_model.h"

#include "core/model/prompt.h"
#include "ui/tables/head_text.h"

#include <utility>

namespace headscope::ui {
namespace {

QString pieceText(const HeadExample& example, std::size_t position) {
    return toQString(displayPiece(example.pieces[position]));
}

} // namespace

void ExampleModel::setExamples(QVector<HeadExample> examples) {
    beginResetModel();
    examples_ = std::move(examples);
    notes_.clear();
    endResetModel();
}

void ExampleModel::setNotes(const QStringList& notes) {
    notes_ = notes;
    if (!examples_.isEmpty())
        emit dataChanged(index(0), index(rowCount() - 1));
}

QString ExampleModel::heading(int row) const {
    const HeadExample& shown = examples_[row];
    QString text = tr("decile %1").arg(shown.interval);
    if (const auto key = chosenKey(shown.row))
        text += QStringLiteral(" · ") +
                tr("%1 from %2 to %3")
                    .arg(QString::number(static_cast<double>(key->weight), 'f', 2),
                         pieceText(shown, shown.row.query), pieceText(shown, key->key));
    if (!notes_.value(row).isEmpty())
        text += QStringLiteral(" · ") + notes_[row];
    return text;
}

int ExampleModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(examples_.size());
}

QVariant ExampleModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const HeadExample& shown = examples_[index.row()];
    if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole)
        return QString(heading(index.row()) + QLatin1Char('\n') + toQString(shown.text));
    return {};
}

} // namespace headscope::ui

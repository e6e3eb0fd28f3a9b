#include "ui/widgets/token_strip.h"

#include <QTextDocumentFragment>

namespace headscope::ui {

QString TokenStrip::rowName(int row) const {
    return tr("token %1").arg(row);
}

QString TokenStrip::cellName(GridCell at) const {
    const TokenChip& chip = chips_[at.row];
    QString name = tr("%1, position %2").arg(chip.text).arg(at.row);
    if (chip.differs)
        name += tr(", differs");
    return name;
}

QString TokenStrip::cellDetails(GridCell at) const {
    const QString& tip = chips_[at.row].tooltip;
    return Qt::mightBeRichText(tip) ? QTextDocumentFragment::fromHtml(tip).toPlainText() : tip;
}

std::optional<GridCell> TokenStrip::cellUnder(QPoint position) const {
    const auto chip = chipAt(position);
    return chip ? std::optional(GridCell{static_cast<int>(*chip), 0}) : std::nullopt;
}

std::optional<GridCell> TokenStrip::currentCell() const {
    return current_ ? std::optional(GridCell{static_cast<int>(*current_), 0}) : std::nullopt;
}

QVector<GridCell> TokenStrip::markedCells() const {
    return current_ ? QVector<GridCell>{{static_cast<int>(*current_), 0}} : QVector<GridCell>();
}

void TokenStrip::chooseCell(GridCell at) {
    setCurrent(at.row);
    emit chipClicked(at.row);
}

} // namespace headscope::ui

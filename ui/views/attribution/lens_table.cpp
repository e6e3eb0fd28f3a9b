#include "ui/views/attribution/lens_table.h"

#include "ui/document/attribution_reading.h"
#include "ui/tables/head_text.h"
#include "ui/widgets/colour_map.h"
#include "ui/widgets/type_colour.h"

#include <QColor>

#include <utility>

namespace headscope::ui {

QString depthName(std::size_t depth) {
    return depth == 0 ? LensTable::tr("embedding") : LensTable::tr("layer %1").arg(depth - 1);
}

void LensTable::setLens(std::shared_ptr<const RunResult> run,
                        std::shared_ptr<const LogitLens> lens) {
    beginResetModel();
    run_ = std::move(run);
    lens_ = std::move(lens);
    endResetModel();
}

int LensTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !lens_ ? 0 : static_cast<int>(lens_->question.ids.size());
}

int LensTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !lens_ ? 0 : static_cast<int>(lens_->depths);
}

QString LensTable::tip(const LensReading& reading) const {
    QString text = QStringLiteral("<table>");
    for (const Prediction& prediction : reading.top)
        text += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align='right'>%2</td></tr>")
                    .arg(tokenText(*run_->full->model, prediction.id).toHtmlEscaped(),
                         percentText(prediction.probability));
    return text + QStringLiteral("</table>") +
           tr("KL from the model's own prediction %1 nats<br>entropy %2 nats")
               .arg(numberText(reading.kl, 3), numberText(reading.entropy, 3));
}

QVariant LensTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const LensReading& reading =
        lens_->at(static_cast<std::size_t>(index.column()), static_cast<std::size_t>(index.row()));
    const Prediction& best = reading.top.front();
    const QColor colour = colourAt(ColourMap::Viridis, best.probability);
    switch (role) {
    case Qt::DisplayRole:
        return tokenText(*run_->full->model, best.id);
    case Qt::ToolTipRole:
        return tip(reading);
    case Qt::BackgroundRole:
        return colour;
    case Qt::ForegroundRole:
        return readableOn(colour);
    case Qt::AccessibleDescriptionRole:
        return percentText(best.probability);
    default:
        return {};
    }
}

QVariant LensTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (!lens_ || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    if (orientation == Qt::Vertical) {
        const QString name = QStringLiteral("%1 %2").arg(section).arg(run_->shown_pieces[section]);
        return role == Qt::ToolTipRole ? plainTip(name) : name;
    }
    if (role == Qt::ToolTipRole)
        return section == 0 ? tr("What the embedding alone would predict")
                            : tr("What the network would predict if it ended with layer %1")
                                  .arg(section - 1);
    return depthName(static_cast<std::size_t>(section));
}

} // namespace headscope::ui

#include "ui/document/pattern_source.h"

namespace headscope::ui {

QString sideName(Side side) {
    switch (side) {
    case Side::A:
        return QStringLiteral("A");
    case Side::B:
        return QStringLiteral("B");
    case Side::Difference:
        break;
    }
    return QStringLiteral("B − A");
}

QStringList PatternSource::labels() const {
    QStringList labels = result->shown_pieces;
    if (!other)
        return labels;
    for (std::size_t position = 0; position < other_of->size(); ++position) {
        const auto counterpart = (*other_of)[position];
        QString& label = labels[static_cast<qsizetype>(position)];
        if (!counterpart)
            continue;
        const QString& piece = other->shown_pieces[static_cast<qsizetype>(*counterpart)];
        if (piece != label)
            label += QStringLiteral(" → ") + piece;
    }
    return labels;
}

} // namespace headscope::ui

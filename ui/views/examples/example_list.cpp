#include "ui/views/examples/example_list.h"

#include "core/model/prompt.h"
#include "ui/tables/head_text.h"
#include "ui/widgets/colours.h"

#include <QAbstractItemView>
#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextOption>

#include <algorithm>
#include <cmath>
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

namespace {

constexpr int kAcross = 10; ///< around an example, pixels
constexpr int kAbove = 6;
constexpr double kSelectedTint = 0.16;
constexpr double kMostGrey = 0.5; ///< of the tint of the first position

/// As it reads in running text: line ends become visible, other signs that draw nothing, too.
QString lettersOf(const std::string& piece) {
    QString letters;
    for (const QChar c : toQString(piece)) {
        if (c == QLatin1Char('\n'))
            letters += QStringLiteral("⏎ ");
        else
            letters += c.isPrint() || c.isSurrogate() ? c : QChar(0xFFFD);
    }
    return letters;
}

/// Weights of the query's row, 0 of those that are not among its largest.
float weightOf(const StrongestRow& row, std::size_t position) {
    for (const StrongestRow::Key& key : row.keys)
        if (key.weight > 0.0f && key.key == position)
            return key.weight;
    return 0.0f;
}

/// Grey for the first position, where attention rests when there is nothing to look at. By the
/// square root, so that a tenth of the attention can be seen.
QColor tintOf(float weight, std::size_t position, const QPalette& palette) {
    const QColor base = palette.color(QPalette::Base);
    const QColor full =
        position == 0 ? palette.color(QPalette::PlaceholderText) : headColour(0, base);
    const double most = position == 0 ? kMostGrey : 1.0;
    return blend(base, full, most * std::sqrt(std::min(1.0, static_cast<double>(weight))));
}

QTextCharFormat formatOf(const StrongestRow& row, std::size_t position, const QPalette& palette) {
    QTextCharFormat format;
    const float weight = weightOf(row, position);
    if (weight > 0.0f) {
        const QColor ground = tintOf(weight, position, palette);
        format.setBackground(ground);
        format.setForeground(readableOn(ground));
    }
    if (position == row.query) {
        format.setFontWeight(QFont::Bold);
        format.setFontUnderline(true);
        format.setUnderlineStyle(QTextCharFormat::SingleUnderline);
        format.setUnderlineColor(palette.color(QPalette::Highlight));
    }
    return format;
}

QRect contentOf(const QStyleOptionViewItem& option) {
    return option.rect.adjusted(kAcross, kAbove, -kAcross, -kAbove);
}

} // namespace

void ExampleDelegate::layOut(QTextDocument& text, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    const auto* examples = qobject_cast<const ExampleModel*>(index.model());
    const HeadExample& example = examples->example(index.row());
    text.setDocumentMargin(0.0);
    text.setDefaultFont(option.font);
    QTextOption wrap;
    wrap.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    text.setDefaultTextOption(wrap);
    QTextCursor cursor(&text);
    QTextCharFormat heading;
    heading.setForeground(option.palette.color(QPalette::PlaceholderText));
    cursor.insertText(examples->heading(index.row()), heading);
    cursor.insertBlock();
    for (std::size_t i = 0; i < example.pieces.size(); ++i) {
        const QString letters = lettersOf(example.pieces[i]);
        const qsizetype spaces = letters.startsWith(QLatin1Char(' ')) ? 1 : 0;
        cursor.insertText(letters.first(spaces), QTextCharFormat());
        cursor.insertText(letters.sliced(spaces), formatOf(example.row, i, option.palette));
    }
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    text.setTextWidth((view ? view->viewport()->width() : option.rect.width()) - 2 * kAcross);
}

QSize ExampleDelegate::sizeHint(const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
    QTextDocument text;
    layOut(text, option, index);
    return {static_cast<int>(text.idealWidth()) + 2 * kAcross,
            static_cast<int>(text.size().height()) + 2 * kAbove};
}

void ExampleDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    painter->save();
    const QPalette& palette = option.palette;
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, blend(palette.color(QPalette::Base),
                                             palette.color(QPalette::Highlight), kSelectedTint));
    QTextDocument text;
    layOut(text, option, index);
    painter->translate(contentOf(option).topLeft());
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette = palette;
    text.documentLayout()->draw(painter, context);
    painter->restore();
    painter->setPen(palette.color(QPalette::Midlight));
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
}

} // namespace headscope::ui

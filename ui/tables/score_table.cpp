#include "ui/tables/score_table.h"

#include "core/heads/head_type.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {

namespace {

QString labelRule(const HeadType& type, double threshold) {
    if (type.together_with)
        return ScoreTable::tr("A label from %1 on, where “%2” is one too.")
            .arg(scoreText(threshold), typeName(*type.together_with));
    if (type.acts_on)
        return ScoreTable::tr("A label from %1 on, in a layer before the last “%2” head.")
            .arg(scoreText(threshold), typeName(*type.acts_on));
    return ScoreTable::tr("A label from %1 on.").arg(scoreText(threshold));
}

} // namespace

ScoreTable::ScoreTable(QObject* parent) : QAbstractTableModel(parent) {}

bool ScoreTable::hasShapeOf(const HeadScores* scores) const {
    return scores_ && scores && scores_->heads == scores->heads && scores_->types == scores->types;
}

void ScoreTable::setScores(std::shared_ptr<const HeadScores> scores, const Thresholds& thresholds) {
    const bool same_shape = hasShapeOf(scores.get());
    if (!same_shape)
        beginResetModel();
    scores_ = std::move(scores);
    thresholds_ = thresholds;
    findTypes();
    if (!same_shape)
        endResetModel();
    else if (rowCount() > 0)
        emit dataChanged(index(0, TypesColumn), index(rowCount() - 1, columnCount() - 1));
}

void ScoreTable::findTypes() {
    types_.clear();
    type_names_.clear();
    if (!scores_)
        return;
    types_.reserve(scores_->heads.size());
    for (const LayerHead head : scores_->heads) {
        QStringList names;
        for (const HeadTypeId id : types_.emplace_back(labels(*scores_, head, thresholds_)))
            names << typeName(scores_->at(id, head));
        type_names_ << names.join(QStringLiteral(", "));
    }
}

LayerHead ScoreTable::headAt(int row) const {
    return scores_->heads.at(static_cast<std::size_t>(row));
}

int ScoreTable::rowOf(LayerHead head) const {
    if (!scores_ || !scores_->heads.contains(head))
        return -1;
    return static_cast<int>(scores_->heads.placeOf(head));
}

const std::vector<HeadTypeId>& ScoreTable::typesAt(int row) const {
    return types_[static_cast<std::size_t>(row)];
}

const QString& ScoreTable::typeNamesAt(int row) const {
    return type_names_.at(row);
}

std::optional<HeadTypeId> ScoreTable::typeAt(int column) const {
    if (column < FirstScoreColumn || column >= columnCount())
        return std::nullopt;
    return scores_->types[static_cast<std::size_t>(column - FirstScoreColumn)];
}

int ScoreTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(types_.size());
}

int ScoreTable::columnCount(const QModelIndex& parent) const {
    if (parent.isValid())
        return 0;
    return FirstScoreColumn + (scores_ ? static_cast<int>(scores_->types.size()) : 0);
}

QVariant ScoreTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const LayerHead head = headAt(index.row());
    if (index.column() == HeadColumn)
        return headData(head, role);
    if (index.column() == TypesColumn)
        return typesData(index.row(), role);
    return scoreData(scores_->at(*typeAt(index.column()), head), index.row(), role);
}

QVariant ScoreTable::headData(LayerHead head, int role) const {
    if (role == Qt::DisplayRole)
        return headName(head);
    if (role == SortRole)
        return rowOf(head);
    return {};
}

QVariant ScoreTable::typesData(int row, int role) const {
    if (role == Qt::DisplayRole)
        return typeNamesAt(row);
    if (role == SortRole)
        return typesAt(row).empty() ? QVariant() : typeNamesAt(row);
    if (role == Qt::ToolTipRole)
        return asTip(labelText(*scores_, headAt(row), thresholds_));
    return {};
}

QVariant ScoreTable::scoreData(const HeadScore& score, int row, int role) const {
    switch (role) {
    case Qt::DisplayRole:
        return scoreText(score.score);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    case Qt::ToolTipRole:
        return asTip(scoreTip(score));
    case SortRole:
        return std::isnan(score.score) ? QVariant() : score.score;
    case LabelRole: {
        const auto& types = typesAt(row);
        const bool labelled = std::ranges::find(types, score.type) != types.end();
        return labelled ? static_cast<int>(score.type) : QVariant();
    }
    default:
        return {};
    }
}

Markup ScoreTable::scoreTip(const HeadScore& score) const {
    return wide(markup(u"<b>%1 · %2 %3</b><br>%4<br>%5", headName(score.head), typeName(score),
                       scoreText(score.score),
                       readingMarkup(score, scores_->measuredOn(score.type).sequences),
                       labelRule(headType(score.type), thresholds_.of(score.type))));
}

QVariant ScoreTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (const auto id = typeAt(section))
        return scoreHeader(*id, role);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    if (role == Qt::DisplayRole)
        return section == HeadColumn ? tr("Head") : tr("Types");
    return {};
}

QVariant ScoreTable::scoreHeader(HeadTypeId id, int role) const {
    const HeadType& type = headType(id);
    if (role == Qt::DisplayRole)
        return toQString(type.name);
    if (role == Qt::ToolTipRole)
        return asTip(wide(markup(u"%1<br>%2", typeTip(type),
                                 tr("Measured on %1, %2.")
                                     .arg(toQString(scores_->measuredOn(id).input),
                                          toQString(scores_->measuredOn(id).bos)))));
    if (role == Qt::InitialSortOrderRole)
        return static_cast<int>(Qt::DescendingOrder);
    return {};
}

namespace {

std::optional<std::size_t> numberOf(const QString& digits) {
    bool is_number = false;
    const auto number = digits.toUInt(&is_number);
    return is_number ? std::optional<std::size_t>(number) : std::nullopt;
}

} // namespace

ScoreFilter::ScoreFilter(ScoreTable* table, QObject* parent)
    : TableFilter(table, parent), table_(table) {
    setSortRole(ScoreTable::SortRole);
}

ScoreFilter::Word ScoreFilter::parsed(const QString& text) {
    // "4", "L4", "4.1", "L4H1", "H1", and "4." on the way to them
    static const QRegularExpression kPlace(QStringLiteral("^(?:L?(\\d+))?(?:[.H](\\d*))?$"),
                                           QRegularExpression::CaseInsensitiveOption);
    const auto match = kPlace.match(text);
    Word word{numberOf(match.captured(1)), numberOf(match.captured(2)), {}};
    if (!word.layer && !word.head)
        word.type = text;
    return word;
}

void ScoreFilter::search(const QString& text) {
    words_.clear();
    for (const QString& word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        words_.append(parsed(word));
    invalidateFilter();
}

void ScoreFilter::setLabelledOnly(bool only) {
    labelled_only_ = only;
    invalidateFilter();
}

bool ScoreFilter::fits(int row, const Word& word) const {
    const LayerHead head = table_->headAt(row);
    if (!word.type.isEmpty())
        return table_->typeNamesAt(row).contains(word.type, Qt::CaseInsensitive);
    return word.layer.value_or(head.layer) == head.layer &&
           word.head.value_or(head.head) == head.head;
}

bool ScoreFilter::filterAcceptsRow(int row, const QModelIndex&) const {
    if (labelled_only_ && table_->typesAt(row).empty())
        return false;
    return std::all_of(words_.begin(), words_.end(),
                       [&](const Word& word) { return fits(row, word); });
}

bool ScoreFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const bool left_undefined = left.data(ScoreTable::SortRole).isNull();
    const bool right_undefined = right.data(ScoreTable::SortRole).isNull();
    // In descending order the view asks the other way round.
    if (left_undefined != right_undefined)
        return left_undefined == (sortOrder() == Qt::DescendingOrder);
    return TableFilter::lessThan(left, right);
}

} // namespace headscope::ui

#pragma once

#include "core/base/layer_head.h"
#include "core/heads/head_score.h"
#include "ui/markup/markup.h"
#include "ui/tables/number_table.h"

#include <QAbstractTableModel>
#include <QList>
#include <QString>
#include <QStringList>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::ui {

/// All heads × all scores of a model: a row per head with its types and a column per type.
class ScoreTable : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { HeadColumn, TypesColumn, FirstScoreColumn };
    enum Role {
        SortRole = Qt::UserRole, ///< a number or, for types, a text; nothing where undefined
        LabelRole,               ///< of a score that makes a label its HeadTypeId, as an int
    };

    explicit ScoreTable(QObject* parent = nullptr);

    /// Null: no rows. Where only values differ from those before, rows stay selected.
    void setScores(std::shared_ptr<const HeadScores> scores, const Thresholds& thresholds);

    LayerHead headAt(int row) const;
    /// −1 for a head that is not in the table.
    int rowOf(LayerHead head) const;
    const std::vector<HeadTypeId>& typesAt(int row) const;
    /// "induction, attention sink", the first type first.
    const QString& typeNamesAt(int row) const;
    std::optional<HeadTypeId> typeAt(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    void findTypes();
    bool hasShapeOf(const HeadScores* scores) const;
    QVariant headData(LayerHead head, int role) const;
    QVariant typesData(int row, int role) const;
    QVariant scoreData(const HeadScore& score, int row, int role) const;
    Markup scoreTip(const HeadScore& score) const;
    QVariant scoreHeader(HeadTypeId id, int role) const;

    std::shared_ptr<const HeadScores> scores_;
    Thresholds thresholds_;
    std::vector<std::vector<HeadTypeId>> types_; ///< one per row, as are their names
    QStringList type_names_;
};

/// The heads of a ScoreTable that a user asked for; what is undefined comes last in every order.
class ScoreFilter : public TableFilter {
    Q_OBJECT

public:
    /// Takes the table over.
    explicit ScoreFilter(ScoreTable* table, QObject* parent = nullptr);

    ScoreTable& table() const { return *table_; }

    /// Words that all hold: a head ("4.1", "L4 H1"), all of a layer ("L4", "4") or of a number
    /// ("H1"), or part of the name of a type that the head has.
    void search(const QString& text) override;
    void setLabelledOnly(bool only);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    struct Word {
        std::optional<std::size_t> layer;
        std::optional<std::size_t> head;
        QString type; ///< empty for a place
    };
    static Word parsed(const QString& text);
    bool fits(int row, const Word& word) const;

    ScoreTable* table_;
    QList<Word> words_;
    bool labelled_only_ = false;
};

} // namespace headscope::ui

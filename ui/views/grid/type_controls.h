#pragma once

#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/trust/label_trust.h"
#include "ui/widgets/chip.h"

#include <QColor>
#include <QComboBox>
#include <QIcon>
#include <QMap>
#include <QScrollArea>

#include <optional>
#include <vector>

class QGridLayout;
class QLabel;
class QToolButton;

namespace headscope::ui {

/// The colour of a head type wherever it appears.
QColor typeColourOf(HeadTypeId type);

/// How a label looks: hollow until it is known whether the model needs the head, full for a cause.
ChipLook chipLook(TrustWord word);

/// Its letter on its colour.
QIcon typeIcon(HeadTypeId type);

/// The same for one label of a head, with what is known of it.
class TypeBadge : public QWidget {
    Q_OBJECT

public:
    explicit TypeBadge(HeadTypeId type, QWidget* parent = nullptr);

    void setLook(ChipLook look);
    ChipLook look() const { return look_; }

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    HeadTypeId type_;
    ChipLook look_ = ChipLook::Full;
};

/// A choice among the scores that a model has. What the user or the program chose is kept while a
/// model does not have it, and comes back with one that does.
class ScoreBox : public QComboBox {
    Q_OBJECT

public:
    /// `none` names the choice of no score, which comes first; without a name there is none.
    explicit ScoreBox(const QString& none = {}, QWidget* parent = nullptr);

    void setTypes(const std::vector<HeadTypeId>& types);
    /// Does not emit `changed`.
    void choose(std::optional<HeadTypeId> type);
    /// The chosen type if the model has it.
    std::optional<HeadTypeId> chosen() const;
    /// Whether the model has it or not.
    std::optional<HeadTypeId> wanted() const { return wanted_; }

signals:
    /// The user chose another one.
    void changed();

private:
    void showWanted();

    QString none_;
    std::vector<HeadTypeId> types_;
    std::optional<HeadTypeId> wanted_;
};

class Document;
class TabGroup;

/// The types that some head of the model has, each a button that leaves only its heads in the grid;
/// together they are one stop of the tab key.
/// Its height is the same for few types and many, so that nothing moves while they are found; those
/// that have no room scroll.
class TypeLegend : public QScrollArea {
    Q_OBJECT

public:
    explicit TypeLegend(Document& document, QWidget* parent = nullptr);

    /// Shown under the types; empty: nothing.
    void setNote(const QString& note);

    QSize sizeHint() const override;

private:
    QToolButton* makeButton(const HeadType& type);
    void showTypes();

    Document& document_;
    QGridLayout* places_ = nullptr;
    QLabel* note_ = nullptr;
    QMap<HeadTypeId, QToolButton*> buttons_;
    TabGroup* shown_ = nullptr; ///< of them, in their order
};

} // namespace headscope::ui

#pragma once

#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/trust/label_trust.h"
#include "ui/document/document.h"

#include <QList>
#include <QWidget>

#include <cstddef>
#include <map>

class QCheckBox;
class QLabel;
class QPushButton;

namespace headscope::ui {

class EvidenceLines;
class ScoreBar;
class TypeBadge;

/// One type's score of one head: letter, name, bar with its threshold, and, for a type that
/// the head has, baseline, interval and threshold in numbers, and what is known of that label; for
/// others the tooltip has the numbers.
class ScoreRow : public QWidget {
    Q_OBJECT

public:
    explicit ScoreRow(const HeadType& type, QWidget* parent = nullptr);

    HeadTypeId type() const { return type_.id; }
    /// Null: not measured.
    void setScore(const HeadScores* scores, LayerHead head, double threshold, bool labelled);
    /// What is known of the label; null where the head has none of this type.
    void setTrust(const LabelTrust* trust);
    void setThresholdEditable(bool editable);

signals:
    void thresholdMoved(HeadTypeId type, double threshold);

private:
    void setTip(const HeadScore* score, std::size_t sequences);

    const HeadType& type_;
    TypeBadge* badge_ = nullptr;
    QLabel* name_ = nullptr;
    QLabel* value_ = nullptr;
    ScoreBar* bar_ = nullptr;
    QLabel* context_ = nullptr;
    QLabel* threshold_ = nullptr;
    EvidenceLines* evidence_ = nullptr;
};

/// The scores of the selected head: of the types that it has, or of all; what is known of these
/// labels, and a button that tests them; their thresholds, which can be opened for editing; and
/// what they were measured on. Both choices are kept for the next
/// start.
class TypesPanel : public QWidget {
    Q_OBJECT

public:
    explicit TypesPanel(Document& document, QWidget* parent = nullptr);

private:
    QCheckBox* makeChoice(const char* name, const QString& text, const QString& tip);
    QLabel* makeHeading(TypeGroup group);
    void makeTestButton();
    void showScores();
    void showTrust();
    void showThresholds();

    Document& document_;
    QLabel* title_ = nullptr;
    QCheckBox* all_ = nullptr;
    QCheckBox* edit_ = nullptr;
    std::map<TypeGroup, QLabel*> headings_;
    QList<ScoreRow*> rows_;
    QPushButton* test_ = nullptr;
    QLabel* test_error_ = nullptr;
    QLabel* input_ = nullptr;
    QPushButton* reset_ = nullptr;
};

} // namespace headscope::ui

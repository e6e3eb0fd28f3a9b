#pragma once

#include "core/heads/head_score.h"
#include "core/heads/head_type.h"

#include <QWidget>

#include <cstddef>

class QLabel;

namespace headscope::ui {

class ScoreBar;

/// One type's score of one head: letter, name, bar with its threshold, and, for a type that
/// the head has, baseline, interval and threshold in numbers; for others the tooltip has them.
class ScoreRow : public QWidget {
    Q_OBJECT

public:
    explicit ScoreRow(const HeadType& type, QWidget* parent = nullptr);

    HeadTypeId type() const { return type_.id; }
    /// Null: not measured.
    void setScore(const HeadScores* scores, LayerHead head, double threshold, bool labelled);
    void setThresholdEditable(bool editable);

signals:
    void thresholdMoved(HeadTypeId type, double threshold);

private:
    void setTip(const HeadScore* score, std::size_t sequences);

    const HeadType& type_;
    QLabel* name_ = nullptr;
    QLabel* value_ = nullptr;
    ScoreBar* bar_ = nullptr;
    QLabel* context_ = nullptr;
    QLabel* threshold_ = nullptr;
};

} // namespace headscope::ui

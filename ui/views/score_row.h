#pragma once

#include "core/analysis/detectors/detector.h"
#include "core/analysis/head_score.h"

#include <QWidget>

#include <cstddef>

class QLabel;

namespace headscope::ui {

class ScoreBar;

/// One detector's score of one head: letter, name, bar with movable threshold, and, for a type that
/// the head has, chance, interval and threshold in numbers; for others the tooltip has them.
class ScoreRow : public QWidget {
    Q_OBJECT

public:
    explicit ScoreRow(const Detector& detector, QWidget* parent = nullptr);

    DetectorId detector() const { return detector_.id; }
    /// Null: not measured. `sequences`: how many the score is the mean of; one has no interval.
    void setScore(const HeadScore* score, std::size_t sequences, double threshold, bool labelled);

signals:
    void thresholdMoved(DetectorId detector, double threshold);

private:
    void setTip(const HeadScore* score, std::size_t sequences);

    const Detector& detector_;
    QLabel* name_ = nullptr;
    QLabel* value_ = nullptr;
    ScoreBar* bar_ = nullptr;
    QLabel* context_ = nullptr;
    QLabel* threshold_ = nullptr;
};

} // namespace headscope::ui

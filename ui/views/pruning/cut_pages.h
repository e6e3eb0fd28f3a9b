#pragma once

#include "core/pruning/gains.h"
#include "core/pruning/verdict.h"
#include "ui/document/pruning_bench.h"
#include "ui/workers/job_runner.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

class QGridLayout;
class QLabel;

namespace headscope::ui {

class LayerBars;

/// What the chosen cut leaves of each layer, and what it buys.
class CutPage : public QWidget {
    Q_OBJECT

public:
    explicit CutPage(PruningBench& bench, QWidget* parent = nullptr);

    /// The speed that was measured when a smaller model was written; until another cut is chosen.
    void showSpeed(const Gain& speed);

private:
    void showCut();
    void showGains(const std::vector<Gain>& gains);

    PruningBench& bench_;
    LayerBars* layers_ = nullptr;
    QGridLayout* gains_ = nullptr;
    QWidget* table_ = nullptr;
    QLabel* note_ = nullptr;
};

class NumberPage;

/// The tokens of the test text whose loss grows most at the chosen cut, looked for while the table
/// is in sight and nothing else is measured.
class WorstPage : public QWidget {
    Q_OBJECT

public:
    explicit WorstPage(PruningBench& bench, QWidget* parent = nullptr);

    JobRunner& worker() { return worker_; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void showCut();
    void look();
    void take(const Result<std::vector<WorseToken>>& tokens);
    void say(const QString& message);

    PruningBench& bench_;
    QTimer pause_; ///< dragging
    NumberPage* table_ = nullptr;
    std::optional<ChosenPoint> shown_; ///< of these the table is; nothing: of none
    JobRunner worker_;
};

} // namespace headscope::ui

#pragma once

#include "core/pruning/gains.h"
#include "ui/document/pruning_bench.h"

#include <QWidget>

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

} // namespace headscope::ui

#pragma once

#include "ui/document/pruning_bench.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QSpinBox;

namespace headscope::ui {

class Dialogs;
class TextSource;

/// The texts of the bench: where they come from, how they are cut, and what was found in them.
class TextsPanel : public QWidget {
    Q_OBJECT

public:
    TextsPanel(PruningBench& bench, Dialogs& dialogs, QWidget* parent = nullptr);

    PruningTextQuestion question() const;
    const TextSource& calibration() const { return *calibration_; }
    const TextSource& test() const { return *test_; }

private:
    void makeControls(Dialogs& dialogs);
    void layOut();
    void readAfterPause();
    void read();
    void showFound();
    QString foundIn(PassageSet PruningDomain::*part) const;

    PruningBench& bench_;
    QTimer pause_; ///< typing
    TextSource* calibration_ = nullptr;
    TextSource* test_ = nullptr;
    QComboBox* domains_ = nullptr; ///< all, then domainNames()
    QSpinBox* length_ = nullptr;
    QSpinBox* seed_ = nullptr;
    QLabel* problem_ = nullptr;
};

} // namespace headscope::ui

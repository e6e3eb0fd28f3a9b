#pragma once

#include "ui/document/pruning_bench.h"
#include "ui/document/repetition.h"

#include <QDialog>

#include <memory>

class QLabel;
class QTabWidget;

namespace headscope::ui {

class CarryBar;
class CopyActions;
class CurvePage;
class CutPage;
class Dialogs;
class Document;
class GroupingPage;
class JobIndicator;
class SetupPanel;
class WorstPage;

/// The pruning bench: what is asked on the left, the curves with their verdict on the right, below
/// them the cut that is looked at and what can be carried away. Follows the document. Closing it
/// stops what runs and keeps what was measured, for when it is opened again.
class PruningWindow : public QDialog {
    Q_OBJECT

public:
    PruningWindow(Document& document, Dialogs& dialogs, QWidget* parent = nullptr);

    void done(int result) override;

signals:
    void modelSaved(const QString& path);

private:
    void makeParts(Dialogs& dialogs);
    QTabWidget* makePages();
    QWidget* makeFooter();
    void layOut();
    void followDocument();
    void showState();
    QString stateText() const;
    Repetition repetition() const;
    Repetition groupingRepetition() const;
    void record();

    Document& document_;
    PruningBench bench_;
    SetupPanel* setup_ = nullptr;
    CurvePage* curves_ = nullptr;
    CutPage* cut_ = nullptr;
    WorstPage* worst_ = nullptr;
    GroupingPage* groupings_ = nullptr;
    CarryBar* carry_ = nullptr;
    JobIndicator* jobs_ = nullptr;
    QLabel* state_ = nullptr;
    CopyActions* copies_ = nullptr;
    std::shared_ptr<const DomainResults> recorded_; ///< in the history
};

} // namespace headscope::ui

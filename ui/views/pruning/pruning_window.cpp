#include "ui/views/pruning/pruning_window.h"

#include "core/export/pruning_calls.h"
#include "ui/document/document.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/job_indicator.h"
#include "ui/views/pruning/carry_bar.h"
#include "ui/views/pruning/curve_page.h"
#include "ui/views/pruning/cut_pages.h"
#include "ui/views/pruning/grouping_page.h"
#include "ui/views/pruning/setup_panel.h"
#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScreen>
#include <QSplitter>
#include <QTabWidget>
#include <QUndoStack>
#include <QVBoxLayout>

namespace headscope::ui {
namespace {

constexpr QSize kPruningSize{1240, 760};
constexpr int kPagesHeight = 210;

std::size_t pointsIn(const DomainResults& results) {
    std::size_t points = 0;
    for (const PruningResult& result : results.domains)
        for (const PruningCurve& curve : result.curves)
            points += curve.points.size();
    return points;
}

} // namespace

PruningWindow::PruningWindow(Document& document, Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), document_(document), bench_(document) {
    setObjectName(QStringLiteral("pruningWindow"));
    setWindowFlag(Qt::WindowMinMaxButtonsHint);
    makeParts(dialogs);
    layOut();
    resize(kPruningSize.boundedTo(screen()->availableSize()));
    followDocument();
    showState();
}

void PruningWindow::makeParts(Dialogs& dialogs) {
    setup_ = new SetupPanel(document_, bench_, dialogs, this);
    curves_ = new CurvePage(document_, bench_, this);
    cut_ = new CutPage(bench_, this);
    worst_ = new WorstPage(bench_, this);
    groupings_ = new GroupingPage(
        bench_, [this] { return groupingRepetition(); }, this);
    copies_ = new CopyActions(this, [this] { return repetition(); });
    carry_ =
        new CarryBar(bench_, dialogs,
                     {[this] { curves_->apply(); },
                      [this](const QString& path) { return curves_->saveFigure(path); }, copies_},
                     this);
    jobs_ = new JobIndicator(this);
    jobs_->watch(&bench_.worker(), tr("Measuring"));
    jobs_->watch(&carry_->worker(), tr("Writing"));
    jobs_->watch(&worst_->worker(), tr("Looking for the worst tokens"));
    jobs_->watch(&groupings_->worker(), tr("Sharing keys and values"));
    state_ = new TextLabel(this);
    state_->setObjectName(QStringLiteral("pruneState"));
    state_->setWordWrap(true);
    state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
}

QTabWidget* PruningWindow::makePages() {
    auto* pages = new QTabWidget(this);
    pages->setObjectName(QStringLiteral("prunePages"));
    pages->addTab(cut_, tr("What Is Left and What It Saves"));
    pages->addTab(worst_, tr("Worst To&kens"));
    pages->addTab(groupings_, tr("Shared Keys and Values"));
    return pages;
}

QWidget* PruningWindow::makeFooter() {
    auto* footer = new QWidget(this);
    auto* close = new QPushButton(tr("&Close"), footer);
    close->setObjectName(QStringLiteral("closeDialog"));
    close->setToolTip(tr("Stops what runs; what was measured is there when the bench is opened "
                         "again"));
    close->setAutoDefault(false);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    auto* layout = new QHBoxLayout(footer);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(state_, 1);
    layout->addWidget(jobs_);
    layout->addWidget(close);
    return footer;
}

void PruningWindow::layOut() {
    auto* right = new QSplitter(Qt::Vertical, this);
    right->addWidget(curves_);
    right->addWidget(makePages());
    right->setStretchFactor(0, 1);
    right->setChildrenCollapsible(false);
    right->setSizes({kPruningSize.height() - kPagesHeight, kPagesHeight});
    auto* results = new QVBoxLayout;
    results->addWidget(right, 1);
    results->addWidget(carry_);
    auto* columns = new QHBoxLayout;
    columns->addWidget(setup_);
    columns->addSpacing(8);
    columns->addLayout(results, 1);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(columns, 1);
    layout->addWidget(makeFooter());
}

void PruningWindow::followDocument() {
    connect(&document_, &Document::modelChanged, this, &PruningWindow::showState);
    connect(&bench_, &PruningBench::resultChanged, this, &PruningWindow::showState);
    connect(setup_, &SetupPanel::refused, state_, &QLabel::setText);
    connect(curves_, &CurvePage::applied, state_, &QLabel::setText);
    connect(copies_, &CopyActions::said, state_, &QLabel::setText);
    connect(groupings_, &GroupingPage::said, state_, &QLabel::setText);
    connect(carry_, &CarryBar::said, state_, &QLabel::setText);
    connect(carry_, &CarryBar::modelSaved, this, &PruningWindow::modelSaved);
    connect(carry_, &CarryBar::speedMeasured, cut_, &CutPage::showSpeed);
    QUndoStack* steps = document_.ablation().undoStack();
    addKey(this, QKeySequence::Undo, [steps] { steps->undo(); });
    addKey(this, QKeySequence::Redo, [steps] { steps->redo(); });
}

QString PruningWindow::stateText() const {
    const std::size_t points = bench_.results() ? pointsIn(*bench_.results()) : 0;
    switch (bench_.state()) {
    case PruningBench::State::Measuring:
        return tr("%1 points are measured.").arg(points);
    case PruningBench::State::Whole:
        return tr("Measured: %1 points.").arg(points);
    case PruningBench::State::Stopped:
        return tr("Stopped after %1 points; “Measure” goes on from there.").arg(points);
    case PruningBench::State::Failed:
        return bench_.error();
    case PruningBench::State::Empty:
        break;
    }
    return {};
}

void PruningWindow::showState() {
    const auto model = bench_.model();
    setWindowTitle(model ? tr("Prune heads of %1").arg(asTitle(toQString(model->name)))
                         : tr("Prune heads"));
    state_->setText(stateText());
    copies_->refresh();
    record();
}

/// Curves that are whole, once.
void PruningWindow::record() {
    if (bench_.state() != PruningBench::State::Whole || recorded_ == bench_.results())
        return;
    recorded_ = bench_.results();
    document_.history().add(tr("Pruning curves"), repetition());
}

Repetition PruningWindow::repetition() const {
    if (!bench_.result() || bench_.result()->curves.empty())
        return notRepeated(tr("There are no curves yet."));
    const auto& asked = setup_->asked();
    if (!asked)
        return notRepeated(tr("A pasted text is no file that a command could read; save it and "
                              "choose the file."));
    return repetitionOf(pruningCall(loadedModel(document_), asked->texts, asked->question,
                                    asked->list, curves_->tolerancePercent()));
}

Repetition PruningWindow::groupingRepetition() const {
    auto texts = setup_->textFiles();
    if (texts && bench_.textQuestion().isBundled() && bench_.texts())
        texts->domains = {bench_.texts()->name};
    if (!texts)
        return notRepeated(tr("A pasted text is no file that a command could read; save it and "
                              "choose the file."));
    return Calls{groupingCall(loadedModel(document_), *texts)};
}

void PruningWindow::done(int result) {
    bench_.stop();
    carry_->worker().cancel();
    worst_->worker().cancel();
    groupings_->worker().cancel();
    QDialog::done(result);
}

} // namespace headscope::ui

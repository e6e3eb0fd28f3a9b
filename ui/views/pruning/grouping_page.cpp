#include "ui/views/pruning/grouping_page.h"

#include "core/base/progress.h"
#include "core/export/provenance.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/table_pages.h"
#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace headscope::ui {
namespace {

constexpr int kLossColumn = 2;

} // namespace

GroupingPage::GroupingPage(PruningBench& bench, std::function<Repetition()> repetition,
                           QWidget* parent)
    : QWidget(parent), bench_(bench) {
    copies_ = new CopyActions(
        this,
        [this, repetition = std::move(repetition)] {
            return measured_texts_ ? repetition()
                                   : notRepeated(tr("Nothing is measured here yet."));
        },
        CopyActions::Keys::None);
    connect(copies_, &CopyActions::said, this, &GroupingPage::said);
    measure_ = new QPushButton(tr("Measure Sharin&g"), this);
    measure_->setObjectName(QStringLiteral("measureGroupings"));
    measure_->setToolTip(tr("Pools the keys and values of neighbouring heads in every way, and "
                            "measures the loss on the test text"));
    measure_->setAutoDefault(false);
    summary_ = new TextLabel(this);
    summary_->setObjectName(QStringLiteral("groupingSummary"));
    summary_->setWordWrap(true);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    table_ = new NumberPage(shownColumns(groupingColumns()), kLossColumn, this);
    table_->setObjectName(QStringLiteral("groupings"));
    table_->searchField()->hide();
    table_->view()->setAccessibleName(tr("Losses with shared keys and values"));
    auto* row = new QHBoxLayout;
    row->addWidget(measure_);
    row->addWidget(summary_, 1);
    row->addWidget(copies_->makeButton(this));
    copies_->offerOn(table_->view());
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(row);
    layout->addWidget(table_, 1);
    connect(measure_, &QPushButton::clicked, this, &GroupingPage::measure);
    connect(&bench_, &PruningBench::textsChanged, this, &GroupingPage::forget);
    connect(&worker_, &JobRunner::busyChanged, this, &GroupingPage::showState);
    showState();
}

void GroupingPage::forget() {
    if (!bench_.texts() || bench_.texts() != measured_texts_) {
        worker_.cancel();
        measured_texts_.reset();
        said_.clear();
    }
    showState();
}

QString GroupingPage::reasonNotTo() const {
    if (!bench_.model())
        return tr("Open a model to share its keys and values.");
    if (const auto good = checkPoolable(*bench_.model()); !good)
        return toQString(good.error().message);
    if (!bench_.texts())
        return bench_.textsError().isEmpty() ? tr("Reading the texts …") : bench_.textsError();
    return {};
}

QString GroupingPage::summary() const {
    if (worker_.isBusy())
        return tr("Measuring …");
    if (const QString reason = reasonNotTo(); !reason.isEmpty())
        return reason;
    if (!said_.isEmpty())
        return said_;
    return tr("What would grouped queries cost before any training? Keys and values of "
              "neighbouring heads become one pair, by their mean and by least squares on the "
              "calibration text.");
}

void GroupingPage::showState() {
    measure_->setEnabled(reasonNotTo().isEmpty() && !worker_.isBusy());
    summary_->setText(summary());
    table_->setVisible(measured_texts_ != nullptr);
    copies_->refresh();
}

void GroupingPage::measure() {
    measured_texts_.reset();
    said_.clear();
    worker_.start(
        [model = bench_.model(), texts = bench_.texts()](const Progress& progress,
                                                         const std::stop_token& stop) {
            return measureGroupings(model, texts->calibration, texts->test, withTimeLeft(progress),
                                    stop);
        },
        [this](const Result<GroupingResult>& result) { take(result); });
}

void GroupingPage::take(const Result<GroupingResult>& result) {
    said_ = toQString(result ? groupingText(*result) : result.error().message);
    if (result) {
        measured_texts_ = bench_.texts();
        table_->setRows(
            shownRows(groupingTable(*result, measured_texts_->calibration, measured_texts_->test,
                                    provenanceOf(*bench_.model()))));
    }
    showState();
}

} // namespace headscope::ui

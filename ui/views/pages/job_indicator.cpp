#include "ui/views/pages/job_indicator.h"

#include "ui/markup/markup.h"
#include "ui/tables/core_text.h"
#include "ui/tables/head_text.h"
#include "ui/widgets/labels.h"
#include "ui/workers/job_runner.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>

#include <chrono>

namespace headscope::ui {
namespace {

constexpr std::chrono::milliseconds kPatience{300};
constexpr int kSteps = 1000;
constexpr int kProgressWidth = 140;
constexpr int kTextWidth = 340;

} // namespace

JobIndicator::JobIndicator(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("jobIndicator"));
    name_ = new TextLabel(this);
    bar_ = new QProgressBar(this);
    bar_->setObjectName(QStringLiteral("jobProgress"));
    bar_->setRange(0, kSteps);
    bar_->setFixedWidth(kProgressWidth);
    bar_->setTextVisible(false);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("jobCancel"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(name_);
    layout->addWidget(bar_);
    layout->addWidget(cancel);
    connect(cancel, &QPushButton::clicked, this, [this] {
        if (shown_)
            shown_->cancel();
    });
    hide();
}

void JobIndicator::watch(JobRunner* runner, const QString& name) {
    auto* patience = new QTimer(this);
    patience->setSingleShot(true);
    patience->setInterval(kPatience);
    connect(patience, &QTimer::timeout, this,
            [this, runner, name] { follow(runner, name, runner->isBusy()); });
    connect(runner, &JobRunner::busyChanged, this, [this, runner, name, patience](bool busy) {
        if (busy) {
            patience->start();
        } else {
            patience->stop();
            follow(runner, name, false);
        }
    });
    connect(runner, &JobRunner::progressed, this,
            [this, runner, name](double fraction, const QString& stage) {
                if (runner == shown_)
                    showStage(fraction,
                              stage.isEmpty() ? name : tr("%1: %2").arg(name, coreText(stage)));
            });
}

void JobIndicator::showStage(double fraction, const QString& text) {
    bar_->setRange(0, kSteps);
    bar_->setValue(qRound(fraction * kSteps));
    name_->setText(name_->fontMetrics().elidedText(text, Qt::ElideMiddle, kTextWidth));
    name_->setToolTip(asTip(text));
}

void JobIndicator::follow(JobRunner* runner, const QString& name, bool busy) {
    if (busy && !shown_) {
        shown_ = runner;
        name_->setText(name);
        bar_->setRange(0, 0); // busy, until something is known
        bar_->setAccessibleName(name);
        show();
    } else if (!busy && runner == shown_) {
        shown_ = nullptr;
        hide();
    }
}

} // namespace headscope::ui

#include "ui/views/window/status_view.h"

#include "core/io/tensor_source.h"
#include "core/model/model.h"
#include "ui/tables/head_text.h"
#include "ui/tables/model_tables.h"
#include "ui/views/pages/job_indicator.h"

#include <QLabel>
#include <QStatusBar>

namespace headscope::ui {
StatusView::StatusView(Document& document, QStatusBar* bar) : QObject(bar), document_(document) {
    run_ = new QLabel(bar);
    run_->setObjectName(QStringLiteral("runLabel"));
    model_ = new QLabel(bar);
    model_->setObjectName(QStringLiteral("modelLabel"));
    auto* jobs = new JobIndicator(bar);
    jobs->watch(document_.loader(), tr("Loading"));
    jobs->watch(document_.headScorer().worker(), tr("Measuring types"));
    jobs->watch(document_.effectTester().worker(), tr("Testing heads"));
    jobs->watch(document_.promptRunner().worker(), tr("Running the prompt"));
    for (QLabel* label : {run_, model_}) {
        label->setTextFormat(Qt::PlainText);
        label->setContentsMargins(10, 0, 10, 0);
    }
    bar->addWidget(run_);
    if (isReaderUnsealed()) {
        auto* unsealed = new QLabel(tr("Files are read unprotected"), bar);
        unsealed->setObjectName(QStringLiteral("unsealedLabel"));
        unsealed->setToolTip(tr("HEADSCOPE_UNSEALED is set: a file made to mislead could do harm. "
                                "Open only files that you trust."));
        bar->addPermanentWidget(unsealed);
    }
    bar->addPermanentWidget(jobs);
    bar->addPermanentWidget(model_);
    connect(&document_, &Document::modelChanged, this, &StatusView::showModel);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this, &StatusView::showRun);
}

void StatusView::showModel() {
    const auto model = document_.model();
    QString text = modelSummary(*model, modelCard(*model));
    if (document_.loadOptions().flip_square_matrices)
        text += QStringLiteral(" · ") + tr("square matrices transposed");
    model_->setText(text);
    run_->clear();
}

void StatusView::showRun() {
    const auto result = document_.promptRunner().result();
    const std::size_t count = result->prompt.ids.size();
    run_->setText((count == 1 ? tr("1 token") : tr("%1 tokens").arg(count)) +
                  QStringLiteral(" · ") + durationText(result->masked->seconds));
    run_->setToolTip(tr("Length of the prompt and time of its forward pass"));
}

} // namespace headscope::ui

#include "ui/views/attribution/attribution_page.h"

#include "ui/views/pages/number_page.h"

#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace headscope::ui {
namespace {

constexpr int kValueColumn = 1;

} // namespace

AttributionPage::AttributionPage(QWidget* parent) : QWidget(parent) {
    sum_ = new QLabel(this);
    sum_->setObjectName(QStringLiteral("attributionSum"));
    sum_->setWordWrap(true);
    sum_->setTextFormat(Qt::PlainText);
    sum_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    sum_->setToolTip(tr("Direct logit attribution: the changes that a part causes in later layers "
                        "are not included"));
    table_ = new NumberPage(partColumns(), kValueColumn, this);
    table_->setObjectName(QStringLiteral("attributionParts"));
    table_->view()->setAccessibleName(tr("Parts of the logit, strongest first"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(sum_);
    layout->addWidget(table_, 1);
    connect(table_, &NumberPage::rowChosen, this, [this](int row) {
        const LogitPart& part = parts_[static_cast<std::size_t>(row)];
        if (part.kind == LogitPartKind::Head)
            emit headChosen(part.of);
    });
}

void AttributionPage::showAttribution(const RunResult& run, const LogitAttribution& attribution) {
    sum_->setText(attributionText(run, attribution));
    parts_ = strongestParts(attribution);
    QList<NumberTable::Row> rows;
    for (const LogitPart& part : parts_)
        rows.append(partRow(run, attribution, part));
    table_->setRows(std::move(rows));
    table_->show();
}

void AttributionPage::showMessage(const QString& message) {
    sum_->setText(message);
    parts_.clear();
    table_->setRows({});
    table_->hide();
}

} // namespace headscope::ui

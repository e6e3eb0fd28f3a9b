#include "ui/views/scores/labels_page.h"

#include "core/heads/expected_false.h"
#include "core/trust/tables.h"
#include "ui/markup/markup.h"
#include "ui/tables/core_text.h"
#include "ui/tables/head_text.h"
#include "ui/tables/trust_text.h"
#include "ui/views/grid/missing_scores.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/table_pages.h"
#include "ui/widgets/labels.h"

#include <QPushButton>
#include <QScrollBar>
#include <QStringList>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cstddef>

namespace headscope::ui {

namespace {

constexpr int kNoBars = -1; ///< no column has any

QList<NumberTable::Column> labelColumns() {
    QList<NumberTable::Column> columns{
        {.name = LabelsPage::tr("Head")},
        {.name = LabelsPage::tr("Type")},
        {.name = LabelsPage::tr("Word"),
         .tip = LabelsPage::tr("What all grades of a label say together")}};
    for (const TrustPart part : trustParts())
        columns << NumberTable::Column{.name = partName(part),
                                       .tip = coreText(toQString(trustPartMeaning(part)))};
    return columns;
}

/// Marks and figures are those that the command line prints.
QList<NumberTable::Row> labelRows(const ModelTrust& trust) {
    QList<NumberTable::Row> rows = shownRows(trustSummary(trust, {}));
    for (qsizetype i = 0; i < rows.size(); ++i) {
        const LabelTrust& label = trust.labels[static_cast<std::size_t>(i)];
        rows[i].replace(0, headName(label.score.head));
        rows[i].replace(1, typeName(label.score));
        rows[i].replace(2, wordName(label.word()));
    }
    return rows;
}

/// "12 cause · 3 secondary", and how many labels chance would give.
QString summaryOf(const ModelTrust& trust) {
    QStringList counts;
    for (const TrustWord word : trustWords())
        if (const auto count = std::ranges::count(trust.labels, word, &LabelTrust::word); count > 0)
            counts << QStringLiteral("%1 %2").arg(count).arg(wordName(word));
    QStringList lines{counts.join(QStringLiteral(" · "))};
    if (const auto chance = expectedFalseText(trust.expected_false); !chance.empty())
        lines.first() += QStringLiteral("; ") + coreText(toQString(chance));
    for (const std::string& note : trust.notes)
        lines << coreText(toQString(note));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

LabelsPage::LabelsPage(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    setObjectName(QStringLiteral("labelsPage"));
    table_ = new NumberPage(labelColumns(), kNoBars, this);
    table_->setObjectName(QStringLiteral("labelsTable"));
    table_->view()->setAccessibleName(tr("Labels of all heads"));
    test_ = makeButton("testAllLabels", tr("Test All Labels"), {}, this);
    table_->addControl(test_);
    summary_ = new TextLabel(this);
    summary_->setObjectName(QStringLiteral("labelsSummary"));
    summary_->setWordWrap(true);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(table_, 1);
    layout->addWidget(summary_);
    connect(test_, &QPushButton::clicked, this, [this] { document_.labelTester().testAll(); });
    connect(table_, &NumberPage::rowChosen, this, [this](int row) {
        row_ = row;
        const auto& labels = document_.labelTester().trust().labels;
        document_.selection().select(labels[static_cast<std::size_t>(row)].score.head);
    });
    connect(&document_, &Document::modelChanged, this, &LabelsPage::showLabels);
    connect(&document_, &Document::labelsChanged, this, &LabelsPage::showLabels);
    connect(&document_.labelTester(), &LabelTester::trustChanged, this, &LabelsPage::showLabels);
    connect(&document_.selection(), &Selection::headChanged, this, &LabelsPage::showHead);
    showLabels();
}

void LabelsPage::copySelection() const {
    table_->copySelection();
}

QWidget* LabelsPage::view() const {
    return table_->view();
}

void LabelsPage::showLabels() {
    const LabelTester& tester = document_.labelTester();
    QScrollBar* const scrolled = table_->view()->verticalScrollBar();
    const int place = scrolled->value();
    table_->setRows(labelRows(tester.trust()));
    const QString missing = missingScoresText(document_);
    table_->setEmptyText(missing.isEmpty() ? tr("No head has a label.") : missing);
    const QString refusal = tester.refusalOfAll();
    const bool busy = tester.worker()->isBusy();
    test_->setText(busy ? tr("Testing …") : tr("Test All Labels"));
    test_->setEnabled(refusal.isEmpty() && !busy);
    test_->setToolTip(asTip(refusal));
    summary_->setText(tester.error().isEmpty() ? summaryOf(tester.trust()) : tester.error());
    showHead();
    scrolled->setValue(place);
}

/// Shows the label that was chosen among those of the head, or the first.
void LabelsPage::showHead() {
    const auto& labels = document_.labelTester().trust().labels;
    const LayerHead head = document_.selection().head();
    const auto is_of_head = [&](int row) {
        return row >= 0 && row < static_cast<int>(labels.size()) &&
               labels[static_cast<std::size_t>(row)].score.head == head;
    };
    if (!is_of_head(row_)) {
        const auto found = std::ranges::find_if(
            labels, [head](const LabelTrust& label) { return label.score.head == head; });
        row_ = found == labels.end() ? -1 : static_cast<int>(found - labels.begin());
    }
    table_->showCurrent(row_);
}

} // namespace headscope::ui

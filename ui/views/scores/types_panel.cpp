#include "ui/views/scores/types_panel.h"

#include "core/heads/head_type.h"
#include "ui/tables/head_text.h"
#include "ui/views/scores/score_row.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace headscope::ui {

TypesPanel::TypesPanel(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    title_ = new QLabel(this);
    title_->setObjectName(QStringLiteral("typesTitle"));
    QFont font = title_->font();
    font.setBold(true);
    title_->setFont(font);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(title_);
    std::optional<TypeGroup> group;
    for (const HeadType& type : headTypes()) {
        if (group != type.group)
            layout->addWidget(headings_.emplace(type.group, makeHeading(type.group)).first->second);
        group = type.group;
        auto* row = new ScoreRow(type, this);
        connect(row, &ScoreRow::thresholdMoved, &document_, &Document::setThreshold);
        layout->addWidget(row);
        rows_.append(row);
    }
    input_ = new QLabel(this);
    input_->setTextFormat(Qt::PlainText);
    input_->setObjectName(QStringLiteral("scoreInput"));
    input_->setWordWrap(true);
    input_->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(input_);
    reset_ = new QPushButton(tr("Reset &Thresholds"), this);
    reset_->setObjectName(QStringLiteral("resetThresholds"));
    reset_->setToolTip(tr("Back to the thresholds that Headscope comes with"));
    layout->addWidget(reset_, 0, Qt::AlignLeft);

    connect(reset_, &QPushButton::clicked, this, [this] { document_.setThresholds({}); });
    connect(&document_, &Document::modelChanged, this, &TypesPanel::showScores);
    connect(&document_, &Document::labelsChanged, this, &TypesPanel::showScores);
    connect(&document_, &Document::selectionChanged, this, &TypesPanel::showScores);
    showScores();
}

QLabel* TypesPanel::makeHeading(TypeGroup group) {
    auto* heading = new QLabel(groupName(group), this);
    heading->setObjectName(QStringLiteral("typeHeading_%1").arg(static_cast<int>(group)));
    heading->setForegroundRole(QPalette::PlaceholderText);
    heading->setContentsMargins(0, 6, 0, 0);
    return heading;
}

void TypesPanel::showScores() {
    const LayerHead head = document_.selected();
    const Thresholds& thresholds = document_.thresholds();
    const auto scores = document_.headScorer().scores();
    title_->setText(document_.model() ? tr("Types of %1").arg(headName(head))
                                      : tr("Types of a head"));
    const std::vector<HeadTypeId> found =
        scores ? labels(*scores, head, thresholds) : std::vector<HeadTypeId>();
    for (const auto& heading : headings_)
        heading.second->setVisible(!scores ||
                                   std::ranges::any_of(scores->types, [&](HeadTypeId type) {
                                       return headType(type).group == heading.first;
                                   }));
    for (ScoreRow* row : rows_) {
        const HeadTypeId id = row->type();
        row->setVisible(!scores || scores->has(id));
        if (scores && !scores->has(id))
            continue;
        row->setScore(scores.get(), head, thresholds.of(id),
                      std::ranges::find(found, id) != found.end());
    }
    input_->setText(scores ? scoreInputText(*scores) : tr("Not measured."));
    reset_->setEnabled(thresholds != Thresholds());
}

} // namespace headscope::ui

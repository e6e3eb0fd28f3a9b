#include "ui/views/scores/scatter_page.h"

#include "core/heads/head_type.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/missing_scores.h"
#include "ui/views/grid/type_controls.h"
#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {

ScatterPage::ScatterPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    plot_ = new ScatterPlot(this);
    plot_->setObjectName(QStringLiteral("scatterPlot"));
    plot_->setAccessibleName(tr("Heads by two scores"));
    note_ = new TextLabel(this);
    note_->setObjectName(QStringLiteral("scatterNote"));
    note_->setWordWrap(true);
    note_->setForegroundRole(QPalette::PlaceholderText);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeControls());
    layout->addWidget(plot_, 1);
    layout->addWidget(note_);

    for (ScoreBox* axis : {across_, up_})
        connect(axis, &ScoreBox::changed, this, &ScatterPage::showScores);
    connect(plot_, &ScatterPlot::chosen, this, [this](int point) {
        document_.selection().select(
            document_.headScorer().scores()->heads.at(static_cast<std::size_t>(point)));
    });
    connect(&document_, &Document::modelChanged, this, &ScatterPage::showScores);
    connect(&document_, &Document::labelsChanged, this, &ScatterPage::showScores);
    connect(&document_.selection(), &Selection::headChanged, this, &ScatterPage::showSelection);
    showScores();
}

QWidget* ScatterPage::makeControls() {
    auto* controls = new QWidget(this);
    auto* layout = new QHBoxLayout(controls);
    layout->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](const QString& text, const char* name, const QString& tip) {
        auto* box = new ScoreBox({}, controls);
        box->setObjectName(QString::fromLatin1(name));
        box->setAccessibleName(tip);
        box->setToolTip(asTip(tip));
        auto* label = new TextLabel(text, controls);
        label->setBuddy(box);
        layout->addWidget(label);
        layout->addWidget(box);
        return box;
    };
    across_ = add(tr("Ac&ross"), "scatterAcross", tr("Score along the horizontal axis"));
    up_ = add(tr("&Up"), "scatterUp", tr("Score along the vertical axis"));
    across_->choose(HeadTypeId::Previous);
    up_->choose(HeadTypeId::Induction);
    auto* swap = new QToolButton(controls);
    swap->setObjectName(QStringLiteral("scatterSwap"));
    swap->setText(tr("S&wap"));
    swap->setToolTip(tr("Puts each score on the other axis"));
    swap->setFocusPolicy(Qt::StrongFocus);
    connect(swap, &QToolButton::clicked, this, &ScatterPage::swapAxes);
    layout->addWidget(swap);
    layout->addStretch(1);
    return controls;
}

void ScatterPage::swapAxes() {
    const auto across = across_->chosen();
    across_->choose(up_->chosen());
    up_->choose(across);
    showScores();
}

void ScatterPage::showScores() {
    const auto scores = document_.headScorer().scores();
    ScatterContent content;
    if (scores && !scores->types.empty()) {
        across_->setTypes(scores->types);
        up_->setTypes(scores->types);
        content.x_name = across_->currentText();
        content.y_name = up_->currentText();
        content.x_threshold = document_.thresholds().of(*across_->chosen());
        content.y_threshold = document_.thresholds().of(*up_->chosen());
        for (const LayerHead head : scores->heads)
            content.points.append(pointOf(*scores, head));
    }
    plot_->setEmptyText(missingScoresText(document_));
    plot_->setContent(std::move(content));
    note_->setText(noteText());
    showSelection();
}

ScatterPoint ScatterPage::pointOf(const HeadScores& scores, LayerHead head) const {
    const HeadScore& x = scores.at(*across_->chosen(), head);
    const HeadScore& y = scores.at(*up_->chosen(), head);
    ScatterPoint point;
    point.x = x.score;
    point.y = y.score;
    const auto types = labels(scores, head, document_.thresholds());
    if (!types.empty()) {
        point.letter = QLatin1Char(headType(types.front()).letter);
        point.colour = typeColourOf(types.front());
    }
    point.text = tr("%1\n%2 %3\n%4 %5\nTypes: %6")
                     .arg(headName(head), typeName(x.type), scoreText(x.score), typeName(y.type),
                          scoreText(y.score), labelText(scores, head, document_.thresholds()));
    return point;
}

QString ScatterPage::noteText() const {
    const auto& points = plot_->content().points;
    if (points.isEmpty())
        return {};
    const auto undefined = std::count_if(points.begin(), points.end(), [](const auto& point) {
        return std::isnan(point.x) || std::isnan(point.y);
    });
    const QString note =
        tr("A dot is a head, lettered and coloured by its first type; dashed lines "
           "are the thresholds.");
    return undefined == 0
               ? note
               : note + QLatin1Char(' ') +
                     tr("Heads left out because a score is not defined: %1.").arg(undefined);
}

void ScatterPage::showSelection() {
    const auto scores = document_.headScorer().scores();
    const LayerHead head = document_.selection().head();
    plot_->setSelected(scores ? static_cast<int>(scores->heads.placeOf(head)) : -1);
}

} // namespace headscope::ui

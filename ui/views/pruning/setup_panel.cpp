#include "ui/views/pruning/setup_panel.h"

#include "ui/tables/head_text.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/prompts/text_source.h"
#include "ui/views/pruning/orders_panel.h"
#include "ui/views/pruning/texts_panel.h"
#include "ui/views/pruning/way_panel.h"
#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QVBoxLayout>

namespace headscope::ui {
namespace {

constexpr int kMostPoints = 1000;
constexpr int kFirstPoints = 10;
constexpr int kBetweenSections = 8;
constexpr int kBesideScrollBar = 8;

void addSection(QVBoxLayout& layout, const QString& title, QWidget* content) {
    auto* heading = new TextLabel(title, content->parentWidget());
    QFont font = heading->font();
    font.setBold(true);
    heading->setFont(font);
    if (!layout.isEmpty())
        layout.addSpacing(kBetweenSections);
    layout.addWidget(heading);
    layout.addWidget(content);
}

} // namespace

SetupPanel::SetupPanel(Document& document, PruningBench& bench, Dialogs& dialogs, QWidget* parent)
    : QWidget(parent), bench_(bench) {
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QWidget* content = makeContent(document, dialogs);
    scroll->setWidget(content);
    makeControls(); // after the content, as Tab goes
    scroll->setMinimumWidth(content->minimumSizeHint().width() +
                            scroll->verticalScrollBar()->sizeHint().width());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* begin = new QHBoxLayout;
    addField(begin, tr("Po&ints"), points_);
    begin->addWidget(measure_, 1);
    layout->addWidget(scroll, 1);
    layout->addLayout(begin);
    connect(measure_, &QPushButton::clicked, this, &SetupPanel::measure);
    connect(orders_, &OrdersPanel::failed, this, &SetupPanel::refused);
    connect(&bench_, &PruningBench::textsChanged, this, &SetupPanel::showState);
    showState();
}

void SetupPanel::makeControls() {
    points_ = new QSpinBox(this);
    points_->setObjectName(QStringLiteral("prunePoints"));
    points_->setToolTip(tr("Cuts of each curve, evenly over all units; further ones narrow "
                           "down where it rises above the tolerance"));
    points_->setRange(1, kMostPoints);
    points_->setValue(kFirstPoints);
    measure_ = new QPushButton(tr("&Measure"), this);
    measure_->setObjectName(QStringLiteral("pruneMeasure"));
    measure_->setToolTip(tr("Ranks the heads and measures the curves; what is known already is "
                            "not measured again"));
    measure_->setDefault(true);
}

QWidget* SetupPanel::makeContent(Document& document, Dialogs& dialogs) {
    auto* content = new QWidget;
    texts_ = new TextsPanel(bench_, dialogs, content);
    orders_ = new OrdersPanel(dialogs, content);
    way_ = new WayPanel(document, content);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, kBesideScrollBar, 0);
    addSection(*layout, tr("Texts"), texts_);
    addSection(*layout, tr("Orders"), orders_);
    addSection(*layout, tr("What goes, and what stands in"), way_);
    layout->addStretch(1);
    return content;
}

void SetupPanel::showState() {
    measure_->setEnabled(bench_.texts() != nullptr);
}

void SetupPanel::measure() {
    const auto model = bench_.model();
    auto question = way_->question(model->spec);
    if (!question)
        return emit refused(toQString(question.error().message));
    auto orders = orders_->orders(model->spec, bench_.textQuestion().seed);
    if (!orders)
        return emit refused(toQString(orders.error().message));
    question->orders = *std::move(orders);
    question->tasks.assign(choiceTaskKinds().begin(), choiceTaskKinds().end());
    question->points = static_cast<std::size_t>(points_->value());
    question->tolerance = bench_.tolerance();
    asked_.reset();
    if (const auto texts = textFiles())
        asked_ = AskedCurves{*texts, orders_->listFile().toStdString(), *question};
    bench_.measure(*question);
}

std::optional<PruningTextFiles> SetupPanel::textFiles() const {
    if (texts_->calibration().isPasted() || texts_->test().isPasted())
        return std::nullopt;
    const PruningTextQuestion& asked = bench_.textQuestion();
    return PruningTextFiles{texts_->calibration().file().toStdString(),
                            texts_->test().file().toStdString(),
                            asked.calibration_tokens,
                            asked.test_tokens,
                            asked.length,
                            asked.seed,
                            asked.domains};
}

} // namespace headscope::ui

#include "ui/views/pruning/cut_pages.h"

#include "core/model/prompt.h"
#include "ui/document/pruning_reading.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"
#include "ui/views/pages/table_pages.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/layer_bars.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <chrono>

namespace headscope::ui {

namespace {

constexpr int kBetweenColumns = 18;
constexpr int kBetweenHalves = 24;

QString nameOfGain(const Gain& gain) {
    const QString name = toQString(gain.name);
    return gain.unit.empty() ? name : name + QLatin1Char(' ') + toQString(gain.unit);
}

/// "5,853,184"; texts that are no whole number stay as they are.
QString grouped(const std::string& number) {
    bool whole = false;
    const qulonglong value = toQString(number).toULongLong(&whole);
    return whole ? groupedText(value) : toQString(number);
}

QString changeOf(const Gain& gain) {
    return withMinus(toQString(gain.changeText()));
}

LayerBars::Layer layerOf(const ModelSpec& spec, const HeadSet& removed, std::size_t layer) {
    LayerBars::Layer bar;
    bar.stays.fill(false, static_cast<qsizetype>(spec.headsIn(layer)));
    const auto left = placesLeft(spec, removed, layer);
    for (const std::size_t place : left)
        bar.stays[static_cast<qsizetype>(place)] = true;
    HeadSet gone;
    for (const LayerHead head : removed)
        if (head.layer == layer)
            gone.push_back(head);
    bar.text = CutPage::tr("Layer %1: %2 of %3 heads stay")
                   .arg(layer)
                   .arg(left.size())
                   .arg(spec.headsIn(layer));
    if (!gone.empty())
        bar.text += CutPage::tr("; removed: %1").arg(headsText(gone));
    return bar;
}

} // namespace

CutPage::CutPage(PruningBench& bench, QWidget* parent) : QWidget(parent), bench_(bench) {
    layers_ = new LayerBars(this);
    layers_->setObjectName(QStringLiteral("layersLeft"));
    layers_->setAccessibleName(tr("Heads left in each layer"));
    layers_->setEmptyText(tr("What is left of each layer is shown here when a point of a curve is "
                             "chosen."));
    table_ = new QWidget(this);
    table_->setObjectName(QStringLiteral("pruneGains"));
    gains_ = new QGridLayout(table_);
    gains_->setContentsMargins(0, 0, 0, 0);
    gains_->setHorizontalSpacing(kBetweenColumns);
    gains_->setVerticalSpacing(4);
    note_ = new TextLabel(this);
    note_->setForegroundRole(QPalette::PlaceholderText);
    note_->setWordWrap(true);
    note_->setText(tr("The speed is measured when a smaller model is saved."));
    auto* right = new QVBoxLayout;
    right->addWidget(table_);
    right->addWidget(note_);
    right->addStretch(1);
    auto* layout = new QHBoxLayout(this);
    layout->addWidget(layers_, 1);
    layout->addSpacing(kBetweenHalves);
    layout->addLayout(right);
    connect(&bench_, &PruningBench::chosenChanged, this, &CutPage::showCut);
    showCut();
}

void CutPage::showCut() {
    const auto model = bench_.model();
    const bool chosen = model && bench_.chosenCut();
    QVector<LayerBars::Layer> layers;
    if (chosen)
        for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
            layers.append(layerOf(model->spec, bench_.removed(), layer));
    layers_->setLayers(std::move(layers));
    showGains(chosen ? gains(costOf(*model), costWithout(*model, bench_.removed(),
                                                         bench_.result()->question.compensation))
                     : std::vector<Gain>());
    note_->setVisible(chosen);
}

void CutPage::showGains(const std::vector<Gain>& gains) {
    while (QLayoutItem* item = gains_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int row = 0;
    for (const Gain& gain : gains) {
        int column = 0;
        for (const QString& text :
             {nameOfGain(gain), grouped(gain.before_text),
              QStringLiteral("→ ") + grouped(gain.after_text), changeOf(gain)}) {
            auto* label = new TextLabel(text, table_);
            label->setForegroundRole(column == 1 ? QPalette::PlaceholderText
                                                 : QPalette::WindowText);
            gains_->addWidget(label, row, column, column == 0 ? Qt::AlignLeft : Qt::AlignRight);
            ++column;
        }
        ++row;
    }
}

void CutPage::showSpeed(const Gain& speed) {
    if (!bench_.chosenCut())
        return;
    auto all = gains(costOf(*bench_.model()), costWithout(*bench_.model(), bench_.removed(),
                                                          bench_.result()->question.compensation));
    all.push_back(speed);
    showGains(all);
    note_->hide();
}

namespace {

constexpr std::chrono::milliseconds kDragPause{300};
constexpr std::size_t kWorstTokens = 50;
constexpr int kDifferenceColumn = 4;

QList<NumberTable::Column> worstColumns() {
    return {{WorstPage::tr("Text before it"), WorstPage::tr("Up to eight tokens before it")},
            {WorstPage::tr("Token"), WorstPage::tr("The token that was to be predicted")},
            {WorstPage::tr("Whole"), WorstPage::tr("Its loss in the whole model, nats"), 3},
            {WorstPage::tr("Cut"), WorstPage::tr("Its loss with these heads removed, nats"), 3},
            {WorstPage::tr("Difference"), WorstPage::tr("How much the loss grew, nats"), 3},
            {WorstPage::tr("Place"), WorstPage::tr("Passage and position in the test text")}};
}

NumberTable::Row worstRow(const WorseToken& token, const Model& model) {
    QString before;
    for (const TokenId id : token.before_it)
        before += toQString(displayPiece(tokenPiece(model, id)));
    return {before,
            toQString(displayPiece(tokenPiece(model, token.token))),
            token.whole,
            token.cut,
            token.cut - token.whole,
            QStringLiteral("%1 · %2").arg(token.passage).arg(token.position)};
}

} // namespace

WorstPage::WorstPage(PruningBench& bench, QWidget* parent) : QWidget(parent), bench_(bench) {
    table_ = new NumberPage(worstColumns(), kDifferenceColumn, this);
    table_->setObjectName(QStringLiteral("worstTokens"));
    table_->view()->setAccessibleName(tr("Tokens whose loss grew most"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(table_);
    pause_.setSingleShot(true);
    pause_.setInterval(kDragPause);
    connect(&pause_, &QTimer::timeout, this, &WorstPage::look);
    connect(&bench_, &PruningBench::chosenChanged, this, &WorstPage::showCut);
    connect(&bench_, &PruningBench::resultChanged, this, &WorstPage::showCut);
    connect(&worker_, &JobRunner::busyChanged, this, [this](bool busy) {
        if (!busy && !shown_)
            say(tr("Stopped; choose a point of a curve to look again."));
    });
    showCut();
}

void WorstPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    showCut();
}

void WorstPage::say(const QString& message) {
    table_->setRows({});
    table_->setEmptyText(message);
}

void WorstPage::showCut() {
    const bool measuring = bench_.state() == PruningBench::State::Measuring;
    if (!measuring && bench_.chosenCut() && shown_ == bench_.chosen())
        return;
    pause_.stop();
    shown_.reset();
    worker_.cancel();
    if (measuring)
        return say(tr("The worst tokens are looked for when the curves are measured."));
    if (!bench_.chosenCut())
        return say(
            tr("Averages hide failures: the tokens that got worst are shown here when a point "
               "of a curve is chosen."));
    say(tr("Looking for the worst tokens …"));
    if (isVisible())
        pause_.start();
}

void WorstPage::look() {
    worker_.start(
        [model = bench_.model(), texts = bench_.measuredTexts(),
         question = bench_.result()->question,
         removed = bench_.removed()](const Progress&, const std::stop_token& stop) {
            return worstTokens(model, texts->calibration, texts->test, question, removed,
                               kWorstTokens, stop);
        },
        [this](const Result<std::vector<WorseToken>>& tokens) { take(tokens); });
}

void WorstPage::take(const Result<std::vector<WorseToken>>& tokens) {
    if (!tokens)
        return say(toQString(tokens.error().message));
    shown_ = bench_.chosen();
    QList<NumberTable::Row> rows;
    for (const WorseToken& token : *tokens)
        rows.append(worstRow(token, *bench_.model()));
    table_->setRows(std::move(rows));
    table_->setEmptyText(tr("No token got worse."));
}

} // namespace headscope::ui

#include "ui/views/pruning/cut_page.h"

#include "ui/document/pruning_reading.h"
#include "ui/tables/head_text.h"
#include "ui/widgets/layer_bars.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>

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
    return whole ? QLocale(QLocale::English).toString(value) : toQString(number);
}

QString changeOf(const Gain& gain) {
    return toQString(gain.changeText()).replace(QLatin1Char('-'), QChar(0x2212));
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
    layers_->setEmptyText(tr("What is left of each layer stands here when a point of a curve is "
                             "chosen."));
    table_ = new QWidget(this);
    table_->setObjectName(QStringLiteral("pruneGains"));
    gains_ = new QGridLayout(table_);
    gains_->setContentsMargins(0, 0, 0, 0);
    gains_->setHorizontalSpacing(kBetweenColumns);
    gains_->setVerticalSpacing(4);
    note_ = new QLabel(this);
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
            auto* label = new QLabel(text, table_);
            label->setTextFormat(Qt::PlainText);
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

} // namespace headscope::ui

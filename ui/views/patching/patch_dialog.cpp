#include "ui/views/patching/patch_dialog.h"

#include "core/export/table_files.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/export_place.h"
#include "ui/views/prompt/token_box.h"
#include "ui/widgets/cell_source.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

constexpr QSize kPatchSize{980, 640};

QComboBox* choiceBox(const char* name, const QString& tip, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setObjectName(QString::fromLatin1(name));
    box->setToolTip(asTip(tip));
    return box;
}

} // namespace

PatchDialog::PatchDialog(Document& document, Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), document_(document), dialogs_(dialogs) {
    setObjectName(QStringLiteral("patchDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Patch activations between A and B"));
    resize(kPatchSize);
    makeFields();
    makeMetricFields();
    makeViews();
    auto* footer = new JobFooter(this);
    footer->watch(&worker_, tr("Patching"));
    copies_ = new CopyActions(this, [this] { return repetition(); });
    footer->offer(*copies_);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(layOutFields());
    layout->addWidget(grid_, 1);
    layout->addWidget(cell_);
    layout->addLayout(layOutExport());
    layout->addWidget(footer);
    connect(footer, &JobFooter::againRequested, this, &PatchDialog::start);
    connect(&document_.comparison(), &Comparison::sourceChanged, this,
            &PatchDialog::followCompared);
    connect(&document_.selection(), &Selection::headChanged, this, [this] {
        if (patchRefusal(compared_).isEmpty() && ask().what.input)
            start();
    });
    connect(&worker_, &JobRunner::busyChanged, this, [this](bool busy) {
        if (!busy && !reading_ && patchRefusal(compared_).isEmpty())
            showMessage(tr("Stopped; “Compute Again” patches from the beginning."));
    });
    followCompared();
}

void PatchDialog::makeFields() {
    what_ =
        choiceBox("patchWhat", tr("What is taken from one prompt and put into the other"), this);
    by_ = choiceBox("patchBy", tr("What is put in place at a time"), this);
    by_->addItem(tr("Layer × position"), static_cast<int>(PatchBy::Position));
    by_->addItem(tr("Layer × head"), static_cast<int>(PatchBy::Head));
    direction_ = choiceBox("patchDirection",
                           tr("From which prompt into which: the second is run again and again "
                              "with one activation of the first"),
                           this);
    direction_->addItem(tr("From A into B"), true);
    direction_->addItem(tr("From B into A"), false);
    for (QComboBox* box : {what_, by_, direction_})
        connect(box, &QComboBox::activated, this, &PatchDialog::start);
}

void PatchDialog::makeMetricFields() {
    metric_ = choiceBox("patchMetric", tr("What is measured in the logits"), this);
    const std::pair<MetricKind, QString> kinds[] = {
        {MetricKind::LogitDifference, tr("Logit difference")},
        {MetricKind::Probability, tr("Probability")},
        {MetricKind::Loss, tr("Loss")},
        {MetricKind::Kl, tr("KL divergence")}};
    for (const auto& [kind, name] : kinds)
        metric_->addItem(name, static_cast<int>(kind));
    token_ = new TokenBox(this);
    token_->setObjectName(QStringLiteral("patchToken"));
    token_->setToolTip(tr("The token in question: one that is predicted, or type any and press "
                          "Return"));
    other_ = new TokenBox(this);
    other_->setObjectName(QStringLiteral("patchOther"));
    other_->setToolTip(tr("The token whose logit is subtracted"));
    method_ = choiceBox("patchMethod",
                        tr("Exact: one run for each cell. By gradient: all cells estimated to "
                           "first order by one backward pass (attribution patching)."),
                        this);
    method_->addItem(tr("Exact"), static_cast<int>(EffectMethod::Exact));
    method_->addItem(tr("By gradient"), static_cast<int>(EffectMethod::Gradient));
    connect(metric_, &QComboBox::activated, this, &PatchDialog::start);
    connect(method_, &QComboBox::activated, this, &PatchDialog::start);
    for (TokenBox* box : {token_, other_}) {
        box->setNoneText(tr("most probable"));
        connect(box, &TokenBox::tokenChosen, this, &PatchDialog::start);
        connect(box, &TokenBox::refused, this, &PatchDialog::showMessage);
    }
}

QLayout* PatchDialog::layOutFields() {
    auto* first = new QHBoxLayout;
    addField(first, tr("&Patch"), what_);
    addField(first, tr("&by"), by_);
    addField(first, QString(), direction_);
    first->addStretch(1);
    auto* second = new QHBoxLayout;
    addField(second, tr("&Measure"), metric_);
    addField(second, tr("&of"), token_);
    addField(second, tr("mi&nus"), other_);
    addField(second, tr("Me&thod"), method_);
    second->addStretch(1);
    auto* fields = new QVBoxLayout;
    fields->addLayout(first);
    fields->addLayout(second);
    return fields;
}

void PatchDialog::makeViews() {
    grid_ = new Heatmap(this);
    grid_->setObjectName(QStringLiteral("patchGrid"));
    grid_->setAccessibleName(tr("Share of the way that each patch restores"));
    grid_->setColourMap(ColourMap::Diverging);
    grid_->setRange(std::nullopt); // as far to both sides as the strongest patch
    cell_ = new TextLabel(this);
    cell_->setObjectName(QStringLiteral("patchCell"));
    cell_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(grid_, &Heatmap::cellHovered, this, [this](std::size_t layer, std::size_t column) {
        if (reading_)
            cell_->setText(patchCellText(*reading_, layer, column));
    });
    connect(grid_, &Heatmap::cellClicked, this, &PatchDialog::chooseCell);
}

QLayout* PatchDialog::layOutExport() {
    summary_ = new TextLabel(this);
    summary_->setObjectName(QStringLiteral("patchSummary"));
    summary_->setWordWrap(true);
    summary_->setForegroundRole(QPalette::PlaceholderText);
    figure_ = new QPushButton(tr("Export &Figure …"), this);
    figure_->setObjectName(QStringLiteral("patchFigure"));
    numbers_ = new QPushButton(tr("Export N&umbers …"), this);
    numbers_->setObjectName(QStringLiteral("patchNumbers"));
    setExports(numbers_);
    auto* row = new QHBoxLayout;
    row->addWidget(summary_, 1);
    for (QPushButton* button : {figure_, numbers_}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    connect(figure_, &QPushButton::clicked, this, &PatchDialog::saveFigure);
    connect(numbers_, &QPushButton::clicked, this, &PatchDialog::saveNumbers);
    return row;
}

void PatchDialog::followCompared() {
    const PatternSource& compared = document_.comparison().compared();
    if (compared == compared_ && compared_.other)
        return;
    compared_ = compared;
    if (const QString refusal = patchRefusal(compared_); !refusal.isEmpty()) {
        worker_.cancel();
        return showMessage(refusal);
    }
    const auto& model = compared_.result->full->model;
    const QString chosen = what_->currentText();
    choices_ = patchChoices(model->spec);
    what_->clear();
    for (const PatchWhat& what : choices_)
        what_->addItem(what.name);
    what_->setCurrentIndex(qMax(0, what_->findText(chosen)));
    std::vector<Prediction> offered = compared_.result->watched_full->predictions;
    for (const Prediction& prediction : compared_.other->watched_full->predictions)
        if (std::ranges::find(offered, prediction.id, &Prediction::id) == offered.end())
            offered.push_back(prediction);
    const Metric metric = suggestedMetric(compared_);
    metric_->setCurrentIndex(metric_->findData(static_cast<int>(metric.kind)));
    for (TokenBox* box : {token_, other_})
        box->offer(model, offered);
    token_->setToken(metric.token);
    other_->setToken(metric.other);
    start();
}

void PatchDialog::showFields() {
    const PatchWhat& what = choices_[what_->currentIndex()];
    const bool has_heads = what.hasHeads(compared_.result->full->model->spec);
    if (!has_heads)
        by_->setCurrentIndex(by_->findData(static_cast<int>(PatchBy::Position)));
    if (!what.hasPositions())
        by_->setCurrentIndex(by_->findData(static_cast<int>(PatchBy::Head)));
    by_->setEnabled(has_heads && what.hasPositions());
    const auto kind = static_cast<MetricKind>(metric_->currentData().toInt());
    token_->setEnabled(kind == MetricKind::LogitDifference || kind == MetricKind::Probability);
    other_->setEnabled(kind == MetricKind::LogitDifference);
    const bool can_estimate = what.hook && kind != MetricKind::Kl;
    if (!can_estimate)
        method_->setCurrentIndex(method_->findData(static_cast<int>(EffectMethod::Exact)));
    method_->setEnabled(can_estimate);
}

PatchAsk PatchDialog::ask() const {
    PatchAsk ask;
    ask.compared = compared_;
    ask.what = choices_[what_->currentIndex()];
    ask.by = static_cast<PatchBy>(by_->currentData().toInt());
    ask.into_b = direction_->currentData().toBool();
    ask.receiver = document_.selection().head();
    const Metric suggested = suggestedMetric(compared_);
    ask.metric.kind = static_cast<MetricKind>(metric_->currentData().toInt());
    ask.metric.token = token_->token().value_or(suggested.token);
    ask.metric.other = other_->token().value_or(suggested.other);
    ask.method = static_cast<EffectMethod>(method_->currentData().toInt());
    return ask;
}

void PatchDialog::start() {
    if (const QString refusal = patchRefusal(compared_); !refusal.isEmpty())
        return showMessage(refusal);
    showFields();
    showMessage(tr("Patching …"));
    worker_.start(
        [ask = ask()](const Progress& progress, const std::stop_token& stop) {
            return readPatch(ask, progress, stop);
        },
        [this](Result<PatchReading> reading) { take(std::move(reading)); });
}

void PatchDialog::take(Result<PatchReading> reading) {
    if (!reading)
        return showMessage(toQString(reading.error().message));
    reading_ = std::make_shared<const PatchReading>(*std::move(reading));
    showReading();
    document_.history().add(patchTitle(reading_->asked), repetition());
    copies_->refresh();
}

Repetition PatchDialog::repetition() const {
    if (!reading_)
        return notRepeated(tr("There is nothing to repeat yet."));
    return repetitionOf(
        patchCallOf(loadedModel(document_, *reading_->asked.compared.result), reading_->asked));
}

void PatchDialog::showReading() {
    const PatchAsk& ask = reading_->asked;
    const bool has_shares = reading_->note.isEmpty();
    HeatmapContent content;
    content.cells = std::make_shared<MatrixCells>(has_shares ? reading_->shares : reading_->values);
    for (std::size_t layer = 0; layer < reading_->shares.dim(0); ++layer)
        content.row_labels << QString::number(layer);
    content.column_labels = patchColumns(ask);
    content.title = patchTitle(ask);
    content.row_axis = tr("layer");
    content.column_axis = ask.by == PatchBy::Position ? tr("position") : tr("head");
    content.value_name = has_shares ? tr("share of the way") : tr("value");
    content.note = tr("A “%1” · B “%2” · no head ablated · %3")
                       .arg(promptExcerpt(*ask.compared.result), promptExcerpt(*ask.compared.other),
                            toQString(ask.compared.result->full->model->name));
    grid_->setContent(std::move(content));
    cell_->setText(ask.by == PatchBy::Position
                       ? tr("Point at a cell to read it; a click locks the row of its token.")
                       : tr("Point at a cell to read it; a click selects the head."));
    summary_->setText(
        has_shares ? tr("%1: %2 in %3 (0), %4 in %5 (1)%6. No head is ablated.")
                         .arg(metricTitle(*ask.compared.result->full->model, ask.metric),
                              QString::number(reading_->from, 'f', 3), recipientName(ask),
                              QString::number(reading_->to, 'f', 3), donorName(ask),
                              ask.method == EffectMethod::Gradient ? tr("; estimated by gradient")
                                                                   : QString())
                   : reading_->note);
    figure_->setEnabled(true);
    numbers_->setEnabled(true);
}

void PatchDialog::showMessage(const QString& message) {
    reading_.reset();
    grid_->setEmpty(message);
    cell_->clear();
    summary_->clear();
    figure_->setEnabled(false);
    numbers_->setEnabled(false);
    copies_->refresh();
}

void PatchDialog::chooseCell(std::size_t layer, std::size_t column) {
    grid_->lockRow(std::nullopt); // a row of layers says nothing alone
    if (!reading_)
        return;
    const PatchAsk& ask = reading_->asked;
    const ModelSpec& spec = ask.compared.result->full->model->spec;
    if (ask.by == PatchBy::Position)
        return document_.selection().lockRow(document_.comparison().rowOfA(column));
    const std::size_t heads = static_cast<std::size_t>(patchColumns(ask).size());
    document_.selection().select({layer, column * (spec.n_heads / heads)});
}

QString PatchDialog::askPath(const QString& extension, const QString& filter) {
    return askWhereToExport(dialogs_, this,
                            toQString(compared_.result->full->model->name) +
                                QStringLiteral("_patching"),
                            extension, filter);
}

void PatchDialog::saveFigure() {
    const QString path =
        askPath(QStringLiteral(".svg"), tr("SVG (*.svg);;PDF (*.pdf);;PNG (*.png)"));
    if (!path.isEmpty())
        sayWritten(grid_->saveFigure(path, kFigureSize), path);
}

void PatchDialog::saveNumbers() {
    const QString path = askPath(QStringLiteral(".csv"), tableFilter());
    if (!path.isEmpty())
        sayWritten(writeTable(path.toStdString(), reading_->table), path);
}

void PatchDialog::sayWritten(const Result<void>& written, const QString& path) {
    summary_->setText(outcomeOfWriting(written, path));
}

} // namespace headscope::ui

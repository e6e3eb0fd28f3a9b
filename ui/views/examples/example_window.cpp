#include "ui/views/examples/example_window.h"

#include "core/export/table_files.h"
#include "core/interventions/example_rows.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"
#include "ui/views/dialogs.h"
#include "ui/views/examples/example_list.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/export_place.h"
#include "ui/views/pages/job_indicator.h"
#include "ui/views/prompts/text_source.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/weight_histogram.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QListView>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QVBoxLayout>

#include <array>
#include <cmath>
#include <initializer_list>

namespace headscope::ui {
namespace {

constexpr QSize kExampleSize{980, 700};
constexpr int kFirstLength = 64; ///< tokens
constexpr int kLongestLength = 4096;

/// By ExampleKind.
std::array<QString, 4> kindNames() {
    return {ExampleWindow::tr("From every tenth"), ExampleWindow::tr("Strongest"),
            ExampleWindow::tr("Around the median"), ExampleWindow::tr("Drawn at random")};
}

} // namespace

ExampleWindow::ExampleWindow(Document& document, Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), document_(document), dialogs_(dialogs), reading_(document) {
    setObjectName(QStringLiteral("exampleWindow"));
    setWindowTitle(tr("Examples"));
    summary_ = new TextLabel(this);
    summary_->setObjectName(QStringLiteral("exampleSummary"));
    summary_->setWordWrap(true);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    makeList();
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeSource());
    layout->addWidget(summary_);
    layout->addWidget(makeHead());
    layout->addWidget(list_, 1);
    layout->addWidget(makeFooter());
    resize(kExampleSize);
    start_->setFocus();
    connectReading();
    showState();
}

QWidget* ExampleWindow::makeSource() {
    auto* top = new QWidget(this);
    source_ = new TextSource({.name = tr("&Text"),
                              .prefix = QStringLiteral("example"),
                              .tip = tr("The text in which examples are looked for"),
                              .pasted_name = tr("pasted text")},
                             bundledCalibration(), dialogs_, top);
    source_->setTokens(100'000);
    length_ = new QSpinBox(top);
    length_->setObjectName(QStringLiteral("exampleLength"));
    length_->setRange(2, kLongestLength);
    length_->setValue(kFirstLength);
    length_->setSuffix(tr(" tokens"));
    length_->setToolTip(tr("The text is cut into sequences of this length, BOS included"));
    start_ = makeButton("exampleScan", tr("&Scan"),
                        tr("Runs the text once and keeps for every head where it looks most "
                           "strongly"),
                        this);
    auto* folder = makeButton("exampleFolder", tr("Open a &Folder …"),
                              tr("Shows the examples of a folder that HeadVis wrote, or "
                                 "headscope-cli heads --headvis"),
                              this);
    auto* layout = new QHBoxLayout(top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(source_, 1, Qt::AlignTop);
    auto* row = new QHBoxLayout;
    addField(row, tr("Se&quences of"), length_);
    row->addWidget(start_);
    row->addWidget(folder);
    layout->addLayout(row);
    layout->setAlignment(row, Qt::AlignTop);
    connect(start_, &QPushButton::clicked, this, &ExampleWindow::scan);
    connect(folder, &QPushButton::clicked, this, &ExampleWindow::openFolder);
    connect(source_, &TextSource::failed, summary_, &QLabel::setText);
    return top;
}

QWidget* ExampleWindow::makeHead() {
    auto* part = new QWidget(this);
    head_ = new TextLabel(part);
    head_->setObjectName(QStringLiteral("exampleHead"));
    QFont bold = head_->font();
    bold.setBold(true);
    head_->setFont(bold);
    means_ = new TextLabel(part);
    means_->setObjectName(QStringLiteral("exampleMeans"));
    means_->setForegroundRole(QPalette::PlaceholderText);
    kind_ = new QComboBox(part);
    kind_->setObjectName(QStringLiteral("exampleKind"));
    for (const QString& name : kindNames())
        kind_->addItem(name);
    kind_->setToolTip(tr("Sequences are sorted by the largest weight in them; the strongest alone "
                         "show one side of a head"));
    effects_ = makeButton("exampleEffects", tr("&Effect on the Next Token"),
                          tr("Ablates the head alone in each example that is shown, and says what "
                             "that does to the loss of the token after the query"),
                          this);
    histogram_ = new WeightHistogram(part);
    histogram_->setObjectName(QStringLiteral("exampleHistogram"));
    histogram_->setAccessibleName(tr("Largest weights of the sequences"));
    auto* controls = new QHBoxLayout;
    addField(controls, tr("S&how"), kind_);
    controls->addWidget(effects_);
    controls->addStretch(1);
    auto* words = new QVBoxLayout;
    words->addWidget(head_);
    words->addWidget(means_);
    words->addLayout(controls);
    auto* layout = new QHBoxLayout(part);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(words, 1);
    layout->addWidget(histogram_);
    connect(kind_, &QComboBox::currentIndexChanged, this,
            [this] { reading_.setQuestion(question()); });
    connect(effects_, &QPushButton::clicked, &reading_, &ExampleReading::measureEffects);
    return part;
}

void ExampleWindow::makeList() {
    examples_ = new ExampleModel(this);
    list_ = new QListView(this);
    list_->setObjectName(QStringLiteral("exampleList"));
    list_->setAccessibleName(tr("Examples of the selected head"));
    list_->setModel(examples_);
    list_->setItemDelegate(new ExampleDelegate(list_));
    list_->setResizeMode(QListView::Adjust);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // so that its width stays
    list_->setToolTip(tr("Double-click or press Return to open an example as the prompt"));
    connect(list_, &QListView::activated, this, &ExampleWindow::openPrompt);
    addKey(list_, QKeySequence::Copy, [this] { copy(); });
}

QWidget* ExampleWindow::makeFooter() {
    auto* footer = new QWidget(this);
    jobs_ = new JobIndicator(footer);
    jobs_->watch(reading_.scanner(), tr("Scanning"));
    jobs_->watch(reading_.tester(), tr("Effects"));
    copy_ = makeButton("exampleCopy", tr("&Copy Example"),
                       tr("Puts the chosen example on the clipboard as text (Ctrl+C)"), this);
    write_ = makeButton("exampleExport", tr("E&xport …"),
                        tr("Writes these examples to .csv, .json or .h5"), this);
    setExports(write_);
    auto* close = makeButton("exampleClose", tr("C&lose"), {}, this);
    auto* layout = new QHBoxLayout(footer);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(jobs_);
    layout->addStretch(1);
    copies_ = new CopyActions(this, [this] { return reading_.repetition(); });
    copies_->offerOn(list_);
    connect(copies_, &CopyActions::said, this,
            [this](const QString& text) { summary_->setText(text); });
    for (QWidget* button :
         std::initializer_list<QWidget*>{copy_, copies_->makeButton(footer), write_, close})
        layout->addWidget(button);
    connect(copy_, &QPushButton::clicked, this, &ExampleWindow::copy);
    connect(write_, &QPushButton::clicked, this, &ExampleWindow::write);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    return footer;
}

void ExampleWindow::connectReading() {
    connect(&reading_, &ExampleReading::listChanged, this, &ExampleWindow::showList);
    connect(&reading_, &ExampleReading::effectsChanged, this, &ExampleWindow::showNotes);
    connect(&reading_, &ExampleReading::stateChanged, this, &ExampleWindow::showState);
    connect(&document_.selection(), &Selection::headChanged, this, &ExampleWindow::follow);
    connect(&document_, &Document::modelChanged, this, &ExampleWindow::showState);
    connect(&document_, &Document::labelsChanged, this, &ExampleWindow::showState);
}

void ExampleWindow::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    follow();
}

void ExampleWindow::done(int result) {
    reading_.scanner()->cancel();
    reading_.tester()->cancel();
    QDialog::done(result);
}

void ExampleWindow::follow() {
    if (isVisible()) // else when it is shown: heads are selected far more often than read
        reading_.read();
    showState();
}

void ExampleWindow::scan() {
    reading_.scan({source_->text(), static_cast<std::size_t>(length_->value()), source_->tokens(),
                   source_->file(), source_->isPasted()});
}

void ExampleWindow::openFolder() {
    const QString folder = dialogs_.examplesToOpen(this, exportFolder());
    if (!folder.isEmpty())
        reading_.openFolder(folder);
}

ExampleQuestion ExampleWindow::question() const {
    return {.kind = exampleKinds()[static_cast<std::size_t>(kind_->currentIndex())]};
}

QString ExampleWindow::summary() const {
    if (!reading_.error().isEmpty())
        return reading_.error();
    if (reading_.source().isEmpty())
        return tr("Where in a text does each head look most strongly, and where hardly at all? "
                  "The text is run once for all heads.");
    if (!reading_.isWhole() && !reading_.isScanning())
        return tr("%1; stopped before its end: Scan goes on from there.").arg(reading_.source());
    return reading_.source();
}

void ExampleWindow::showState() {
    const LayerHead head = document_.selection().head();
    const auto scores = document_.headScorer().scores();
    head_->setText(scores ? headName(head) + QStringLiteral(": ") +
                                labelText(*scores, head, document_.thresholds())
                          : headName(head));
    summary_->setText(summary());
    start_->setEnabled(document_.model() != nullptr && !reading_.isScanning());
    const bool has_examples = examples_->rowCount() > 0;
    effects_->setEnabled(has_examples && reading_.canMeasureEffects() &&
                         !reading_.tester()->isBusy());
    copy_->setEnabled(has_examples);
    write_->setEnabled(has_examples);
    copies_->refresh();
}

void ExampleWindow::showList() {
    const ExampleList* list = reading_.list();
    const int scrolled = list_->verticalScrollBar()->value();
    examples_->setExamples(list ? QVector<HeadExample>(list->examples.begin(), list->examples.end())
                                : QVector<HeadExample>());
    list_->verticalScrollBar()->setValue(scrolled);
    histogram_->setCounts(list
                              ? QVector<std::size_t>(list->histogram.begin(), list->histogram.end())
                              : QVector<std::size_t>());
    means_->setText(list && std::isfinite(list->means.distance)
                        ? tr("on average %1 tokens back, entropy %2 nats, itself %3, the token "
                             "before %4")
                              .arg(QString::number(list->means.distance, 'f', 1),
                                   QString::number(list->means.entropy, 'f', 2),
                                   percentText(list->means.self), percentText(list->means.previous))
                        : QString());
    showNotes();
    showState();
}

QString ExampleWindow::note(const HeadExample& example) const {
    const auto* effect = reading_.effect(example);
    if (!effect)
        return {};
    if (!*effect)
        return tr("no next token");
    const double change = (*effect)->change();
    return tr("next %1: %2%3 nats when ablated (%4)")
        .arg(toQString(displayPiece(example.pieces[example.row.query + 1])),
             change > 0.0 ? QStringLiteral("+") : QString(), numberText(change, 2),
             ablationName(reading_.effectKind()));
}

void ExampleWindow::showNotes() {
    QStringList notes;
    for (int row = 0; row < examples_->rowCount(); ++row)
        notes << note(examples_->example(row));
    examples_->setNotes(notes);
}

void ExampleWindow::openPrompt(const QModelIndex& row) {
    const HeadExample& example = examples_->example(row.row());
    const QString text = toQString(example.text);
    document_.setPromptText(text);
    // Read again its text may be cut into other tokens; then no row is that of the query.
    connect(
        &document_.promptRunner(), &PromptRunner::resultChanged, this,
        [this, text, query = std::size_t{example.row.query}, tokens = example.pieces.size()] {
            const auto result = document_.promptRunner().result();
            if (result && toQString(result->prompt.text) == text &&
                result->prompt.ids.size() == tokens)
                document_.selection().lockRow(query);
        },
        Qt::SingleShotConnection);
}

void ExampleWindow::copy() {
    const QModelIndex row =
        list_->currentIndex().isValid() ? list_->currentIndex() : examples_->index(0);
    if (row.isValid())
        QApplication::clipboard()->setText(row.data().toString());
}

void ExampleWindow::write() {
    const Provenance provenance = reading_.provenance();
    const QString path = askWhereToExport(dialogs_, this,
                                          toQString(provenance.model_name) + QLatin1Char('-') +
                                              headName(reading_.head()).remove(QLatin1Char(' ')) +
                                              QStringLiteral("-examples"),
                                          QStringLiteral(".csv"), tableFilter());
    if (path.isEmpty() || !reading_.list())
        return;
    ExampleRows rows{reading_.head(), *reading_.list()};
    for (const HeadExample& example : rows.list.examples)
        if (const auto* effect = reading_.effect(example))
            rows.effects.push_back(*effect);
    if (rows.effects.size() < rows.list.examples.size())
        rows.effects.clear();
    const Table table = exampleTable({rows}, reading_.source().toStdString(), provenance);
    summary_->setText(outcomeOfWriting(writeTable(path.toStdString(), table), path));
}

} // namespace headscope::ui

#include "ui/views/similarity/similarity_dialog.h"

#include "core/export/analysis_calls.h"
#include "core/export/provenance.h"
#include "core/similarity/tables.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/table_export.h"
#include "ui/views/pages/table_pages.h"
#include "ui/widgets/cell_source.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <numbers>
#include <span>
#include <utility>

namespace headscope::ui {
namespace {

constexpr QSize kSimilaritySize{1000, 680};
constexpr double kFirstBelow = 0.10; ///< nats
constexpr int kPairsWidth = 460;
constexpr int kCosineColumn = 3;

std::string comparedOn(const Prompt& prompt) {
    return prompt.text.empty() ? promptsNote({}, {promptText(prompt)})
                               : promptsNote({prompt.text}, {});
}

} // namespace

SimilarityDialog::SimilarityDialog(Document& document, Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), document_(document) {
    setObjectName(QStringLiteral("similarityDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Head similarity"));
    resize(kSimilaritySize);
    makeFields();
    makeViews();
    auto* views = new QSplitter(Qt::Horizontal, this);
    views->addWidget(matrix_);
    views->addWidget(list_);
    views->setStretchFactor(0, 1);
    views->setSizes({kSimilaritySize.width() - kPairsWidth, kPairsWidth});
    views->setChildrenCollapsible(false);
    auto* footer = new JobFooter(this);
    footer->watch(&worker_, tr("Comparing heads"));
    makeActions(dialogs);
    footer->offer(*copies_);
    footer->offer(*export_);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(layOutFields());
    layout->addWidget(views, 1);
    layout->addWidget(pair_);
    layout->addWidget(clusters_);
    layout->addWidget(footer);
    connect(footer, &JobFooter::againRequested, this, &SimilarityDialog::start);
    connect(&document_, &Document::modelChanged, this, &SimilarityDialog::start);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this, [this] {
        if (onPrompt())
            start();
    });
    connect(&worker_, &JobRunner::busyChanged, this, [this](bool busy) {
        if (!busy && !similarity_)
            showMessage(tr("Stopped; “Compute Again” compares the heads."));
    });
    start();
}

void SimilarityDialog::makeFields() {
    input_ = new QComboBox(this);
    input_->setObjectName(QStringLiteral("similarityInput"));
    input_->setToolTip(tr("What the heads read while they are compared, without ablation"));
    input_->addItems({tr("Repeated random tokens"), tr("This prompt")});
    below_ = new QDoubleSpinBox(this);
    below_->setObjectName(QStringLiteral("similarityBelow"));
    below_->setToolTip(tr("Pairs whose patterns are closer than this are listed; clusters are cut "
                          "at this mean distance; nats, 0.69 lists all"));
    below_->setDecimals(2);
    below_->setSingleStep(0.01);
    below_->setRange(0.0, 0.7);
    below_->setValue(kFirstBelow);
    connect(input_, &QComboBox::currentIndexChanged, this, &SimilarityDialog::start);
    connect(below_, &QDoubleSpinBox::valueChanged, this, &SimilarityDialog::showPairs);
}

QLayout* SimilarityDialog::layOutFields() {
    auto* row = new QHBoxLayout;
    addField(row, tr("Compared &on"), input_);
    addField(row, tr("C&loser than"), below_);
    row->addStretch(1);
    return row;
}

void SimilarityDialog::makeViews() {
    matrix_ = new Heatmap(this);
    matrix_->setObjectName(QStringLiteral("similarityMatrix"));
    matrix_->setAccessibleName(tr("Distance of the patterns of all pairs of heads"));
    matrix_->setRange(std::pair{0.0, std::numbers::ln2});
    list_ = new NumberPage(pairColumns(), kCosineColumn, this);
    list_->setObjectName(QStringLiteral("similarityPairs"));
    list_->view()->setAccessibleName(tr("Closest pairs of heads"));
    clusters_ = new TextLabel(this);
    clusters_->setObjectName(QStringLiteral("similarityClusters"));
    clusters_->setWordWrap(true);
    pair_ = new TextLabel(this);
    pair_->setObjectName(QStringLiteral("similarityPair"));
    connect(matrix_, &Heatmap::cellHovered, this,
            [this](std::size_t row, std::size_t column) { pair_->setText(cellText(row, column)); });
    connect(matrix_, &Heatmap::cellClicked, this, [this](std::size_t row, std::size_t) {
        document_.selection().select(similarity_->head(similarity_->order[row]));
    });
    connect(list_, &NumberPage::rowChosen, this, [this](int row) {
        document_.selection().select(pairs_[static_cast<std::size_t>(row)].b);
    });
}

void SimilarityDialog::makeActions(Dialogs& dialogs) {
    copies_ = new CopyActions(this, [this] { return repetition(); });
    copies_->offerOn(list_->view());
    export_ = new TableExport(document_, dialogs, this, [this] { return table(); });
}

bool SimilarityDialog::onPrompt() const {
    return input_->currentIndex() == 1;
}

void SimilarityDialog::start() {
    const auto result = document_.promptRunner().result();
    if (onPrompt() && !result) {
        worker_.cancel();
        return showMessage(tr("The heads are compared when the prompt has run."));
    }
    SimilarityQuestion question;
    compared_on_ = onPrompt() ? result : nullptr;
    if (onPrompt())
        question.prompts = {result->prompt.ids};
    showMessage(tr("Comparing heads …"));
    worker_.start(
        [model = document_.model(), question](const Progress& progress,
                                              const std::stop_token& stop) {
            return compareHeads(model, question, progress, stop);
        },
        [this](Result<HeadSimilarity> similarity) { take(std::move(similarity)); });
}

void SimilarityDialog::take(Result<HeadSimilarity> similarity) {
    if (!similarity)
        return showMessage(toQString(similarity.error().message));
    similarity_ = std::make_shared<const HeadSimilarity>(*std::move(similarity));
    pair_->setText(tr("Point at a cell to read it; a click on a row or a pair selects the head."));
    showMatrix();
    showPairs();
    document_.history().add(tr("Head similarity"), repetition());
    refreshActions();
}

Repetition SimilarityDialog::repetition() const {
    if (!similarity_)
        return notRepeated(tr("There is nothing to repeat yet."));
    const std::span<const Prompt> prompts =
        compared_on_ ? std::span(&compared_on_->prompt, 1) : std::span<const Prompt>();
    return Calls{similarityCall(loadedModel(document_), prompts, below_->value())};
}

Result<TableInSight> SimilarityDialog::table() const {
    if (!similarity_)
        return nothingToWrite();
    Provenance origin = provenanceOf(*document_.model());
    const QString name = tableFileName(origin, QStringLiteral("similarity"));
    origin.note = compared_on_ ? comparedOn(compared_on_->prompt) : similarity_->repeats;
    return TableInSight{name,
                        [similarity = similarity_, below = below_->value(),
                         origin](const Progress&, const std::stop_token&) {
                            return similarityTable(*similarity, below, origin);
                        },
                        repetition()};
}

void SimilarityDialog::refreshActions() {
    copies_->refresh();
    export_->refresh();
}

void SimilarityDialog::showMatrix() {
    HeatmapContent content;
    content.cells = std::make_shared<MatrixCells>(orderedDistances(*similarity_));
    for (const std::size_t head : similarity_->order)
        content.row_labels << headName(similarity_->head(head));
    content.column_labels = content.row_labels;
    content.title =
        tr("Pattern distance on %1")
            .arg(similarity_->repeats.empty() ? tr("the prompt") : toQString(similarity_->repeats));
    content.value_name = tr("nats");
    matrix_->setContent(std::move(content));
    matrix_->lockRow(std::nullopt);
}

void SimilarityDialog::showPairs() {
    if (!similarity_)
        return;
    pairs_ = similarPairs(*similarity_, below_->value());
    QList<NumberTable::Row> rows;
    for (const HeadPair& pair : pairs_)
        rows.append(pairRow(pair));
    list_->setEmptyText(tr("Nothing is found."));
    list_->setRows(std::move(rows));
    clusters_->setText(clusterText(*similarity_, below_->value()));
}

void SimilarityDialog::showMessage(const QString& message) {
    similarity_.reset();
    pairs_.clear();
    matrix_->setEmpty(message);
    list_->setEmptyText(message);
    list_->setRows({});
    pair_->clear();
    clusters_->clear();
    refreshActions();
}

QString SimilarityDialog::cellText(std::size_t row, std::size_t column) const {
    return similarity_ ? pairText(*similarity_, similarity_->order[row], similarity_->order[column])
                       : QString();
}

} // namespace headscope::ui

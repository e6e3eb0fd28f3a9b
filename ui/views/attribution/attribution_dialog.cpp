#include "ui/views/attribution/attribution_dialog.h"

#include "core/attribution/tables.h"
#include "core/export/analysis_calls.h"
#include "core/export/provenance.h"
#include "ui/tables/head_text.h"
#include "ui/views/attribution/attribution_pages.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/table_export.h"
#include "ui/views/prompt/token_box.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QTabWidget>
#include <QVBoxLayout>

#include <utility>

namespace headscope::ui {
namespace {

constexpr QSize kAttributionSize{860, 640};
constexpr int kPositionLetters = 12;

Provenance originOf(const RunResult& run) {
    return provenanceOf(*run.full->model, run.prompt, run.mask);
}

} // namespace

AttributionDialog::AttributionDialog(Document& document, Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), document_(document) {
    setObjectName(QStringLiteral("attributionDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Direct logit attribution and logit lens"));
    resize(kAttributionSize);
    makeFields();
    makePages();
    auto* footer = new JobFooter(this);
    footer->watch(&reader_, tr("Taking the logit apart"));
    footer->watch(&lens_reader_, tr("Logit lens"));
    makeActions(dialogs);
    footer->offer(*copies_);
    footer->offer(*export_);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(layOutFields());
    layout->addWidget(refusal_);
    layout->addWidget(tabs_, 1);
    layout->addWidget(footer);
    connect(footer, &JobFooter::againRequested, this, &AttributionDialog::startAgain);
    connect(&document_, &Document::modelChanged, this, &AttributionDialog::showRun);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this,
            &AttributionDialog::showRun);
    showRun();
}

void AttributionDialog::makeFields() {
    position_ = new QComboBox(this);
    position_->setObjectName(QStringLiteral("attributionPosition"));
    position_->setToolTip(tr("Where the prediction is read"));
    position_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    position_->setMinimumContentsLength(kPositionLetters);
    connect(position_, &QComboBox::activated, this,
            [this](int index) { choosePosition(static_cast<std::size_t>(index)); });
    token_box_ = new TokenBox(this);
    token_box_->setObjectName(QStringLiteral("attributionToken"));
    token_box_->setNoneText(tr("most probable"));
    token_box_->setToolTip(
        tr("Whose logit: one of the most probable, or type any token and press Return; write the "
           "space in front of a word as a space or “·”"));
    against_box_ = new TokenBox(this);
    against_box_->setObjectName(QStringLiteral("attributionAgainst"));
    against_box_->setNoneText(tr("no other token"));
    against_box_->setToolTip(tr("With another token the difference of the two logits is taken "
                                "apart; what both share falls away"));
    refusal_ = new TextLabel(this);
    refusal_->setObjectName(QStringLiteral("attributionRefusal"));
    refusal_->setWordWrap(true);
    refusal_->hide();
    for (TokenBox* box : {token_box_, against_box_}) {
        connect(box, &TokenBox::tokenChosen, this, &AttributionDialog::start);
        connect(box, &TokenBox::refused, this, [this](const QString& message) {
            refusal_->setText(message);
            refusal_->show();
        });
    }
}

QLayout* AttributionDialog::layOutFields() {
    auto* row = new QHBoxLayout;
    addField(row, tr("&Position"), position_);
    addField(row, tr("&Token"), token_box_);
    addField(row, tr("&minus"), against_box_);
    row->addStretch(1);
    return row;
}

void AttributionDialog::makePages() {
    heads_ = new AttributionPage(this);
    layers_ = new LensPage(this);
    tabs_ = new QTabWidget(this);
    tabs_->setObjectName(QStringLiteral("attributionTabs"));
    tabs_->addTab(heads_, tr("&Direct logit attribution"));
    tabs_->addTab(layers_, tr("Logit &lens"));
    connect(tabs_, &QTabWidget::currentChanged, this, &AttributionDialog::startLens);
    connect(heads_, &AttributionPage::headChosen, &document_.selection(), &Selection::select);
    connect(layers_, &LensPage::positionChosen, this, &AttributionDialog::choosePosition);
}

void AttributionDialog::makeActions(Dialogs& dialogs) {
    copies_ = new CopyActions(this, [this] { return repetition(); });
    export_ = new TableExport(document_, dialogs, this, [this] { return table(); });
    connect(tabs_, &QTabWidget::currentChanged, this, &AttributionDialog::refreshActions);
}

void AttributionDialog::showRun() {
    const auto run = document_.promptRunner().result();
    const bool same_model = run && question_.run && run->full->model == question_.run->full->model;
    const bool same_prompt = same_model && run->prompt.ids == question_.run->prompt.ids;
    if (!same_model) {
        token_.reset();
        for (TokenBox* box : {token_box_, against_box_})
            box->setToken(std::nullopt);
    }
    question_.run = run;
    if (!run) {
        reader_.cancel();
        position_->clear();
        return showMessage(tr("The prediction appears here when the prompt has run."));
    }
    if (!same_prompt) {
        position_->clear();
        for (qsizetype i = 0; i < run->shown_pieces.size(); ++i)
            position_->addItem(QStringLiteral("%1  %2").arg(i).arg(run->shown_pieces[i]));
        question_.position = firstPosition(*run);
    }
    layers_->showPosition(question_.position);
    position_->setCurrentIndex(static_cast<int>(question_.position));
    start();
}

void AttributionDialog::choosePosition(std::size_t position) {
    if (position == question_.position)
        return;
    question_.position = position;
    position_->setCurrentIndex(static_cast<int>(position));
    layers_->showPosition(position);
    start();
}

void AttributionDialog::start() {
    refusal_->hide();
    if (!question_.run)
        return;
    question_.token = token_box_->token();
    question_.against = against_box_->token();
    reader_.start(
        [question = question_](const Progress&, const std::stop_token& stop) {
            return readPosition(question, stop);
        },
        [this, question = question_](const Result<PredictionAttribution>& readout) {
            take(question, readout);
        });
}

void AttributionDialog::startAgain() {
    lens_of_.reset();
    start();
}

void AttributionDialog::take(const ReadoutQuestion& question,
                             const Result<PredictionAttribution>& readout) {
    if (!readout)
        return showMessage(toQString(readout.error().message));
    const auto& model = question.run->full->model;
    token_box_->setNoneText(
        tr("most probable: %1").arg(tokenText(*model, readout->predictions.front().id)));
    for (TokenBox* box : {token_box_, against_box_})
        box->offer(model, readout->predictions);
    token_ = readout->token;
    shown_.reset();
    if (readout->attribution) {
        heads_->showAttribution(*question.run, *readout->attribution);
        const PredictionQuestion asked{question.run->prompt.ids, question.position, token_,
                                       question.against, question.run->mask};
        shown_ =
            std::make_shared<const Readout>(Readout{question.run, asked, *readout->attribution});
        record();
    } else {
        heads_->showMessage(toQString(readout->attribution.error().message));
    }
    refreshActions();
    startLens();
}

/// What repeats the page in sight.
Repetition AttributionDialog::repetition() const {
    const bool is_lens = tabs_->currentWidget() == layers_;
    if (is_lens ? !layers_->lens() : !shown_)
        return notRepeated(tr("There is nothing to repeat yet."));
    const RunResult& run = is_lens ? *layers_->run() : *shown_->run;
    const LoadedModel loaded = loadedModel(document_, run);
    return repetitionOf(is_lens ? lensCall(loaded, run.prompt, layers_->lens()->question)
                                : attributionCall(loaded, run.prompt, shown_->asked));
}

TableInSight AttributionDialog::parts() const {
    const Provenance origin = originOf(*shown_->run);
    return {tableFileName(origin, QStringLiteral("attribution")),
            [shown = shown_, origin](const Progress&, const std::stop_token&) {
                return attributionTable(shown->attribution, *shown->run->full->model, origin);
            },
            repetition()};
}

TableInSight AttributionDialog::lens() const {
    const Provenance origin = originOf(*layers_->run());
    return {tableFileName(origin, QStringLiteral("lens")),
            [run = layers_->run(), lens = layers_->lens(), origin](const Progress&,
                                                                   const std::stop_token&) {
                return lensTable(*lens, *run->full->model, origin);
            },
            repetition()};
}

/// The table of the page in sight.
Result<TableInSight> AttributionDialog::table() const {
    const bool is_lens = tabs_->currentWidget() == layers_;
    if (is_lens ? !layers_->lens() : !shown_)
        return nothingToWrite();
    return is_lens ? lens() : parts();
}

void AttributionDialog::refreshActions() {
    copies_->refresh();
    export_->refresh();
}

void AttributionDialog::record() {
    document_.history().add(tabs_->currentWidget() == layers_ ? tr("Logit lens")
                                                              : tr("Direct logit attribution"),
                            repetition());
}

void AttributionDialog::startLens() {
    if (!token_ || tabs_->currentWidget() != layers_)
        return;
    const std::pair wanted{question_.run, *token_};
    if (lens_of_ == wanted)
        return;
    lens_of_ = wanted;
    lens_reader_.start(
        [wanted](const Progress& progress, const std::stop_token& stop) {
            return readLens(*wanted.first, wanted.second, progress, stop);
        },
        [this, run = wanted.first](Result<LogitLens> lens) { takeLens(run, std::move(lens)); });
}

void AttributionDialog::takeLens(std::shared_ptr<const RunResult> run, Result<LogitLens> lens) {
    if (lens) {
        layers_->showLens(std::move(run), std::make_shared<LogitLens>(*std::move(lens)));
        record();
    } else {
        layers_->showMessage(toQString(lens.error().message));
    }
    refreshActions();
}

void AttributionDialog::showMessage(const QString& message) {
    lens_reader_.cancel();
    lens_of_.reset();
    token_.reset();
    shown_.reset();
    heads_->showMessage(message);
    layers_->showMessage(message);
    refreshActions();
}

} // namespace headscope::ui

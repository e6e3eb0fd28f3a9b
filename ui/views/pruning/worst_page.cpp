#include "ui/views/pruning/worst_page.h"

#include "core/model/prompt.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/number_page.h"

#include <QTableView>
#include <QVBoxLayout>

#include <chrono>

namespace headscope::ui {
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
        return say(tr("Averages hide failures: the tokens that got worst stand here when a point "
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

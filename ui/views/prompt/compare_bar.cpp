#include "ui/views/prompt/compare_bar.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/pages/job_indicator.h"
#include "ui/views/prompt/prompt_edit.h"
#include "ui/views/prompt/prompt_strip.h"
#include "ui/views/prompt/token_menus.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/stale.h"

#include <QComboBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

namespace headscope::ui {
namespace {

constexpr QRgb kCompareTint = 0xff0072b2;

} // namespace

CompareBar::CompareBar(Document& document, Dialogs& dialogs, QWidget* parent)
    : TintedFrame(kCompareTint, parent), document_(document), comparison_(document.comparison()),
      dialogs_(dialogs) {
    setObjectName(QStringLiteral("compareBar"));
    setAccessibleName(tr("What the prompt is compared with"));
    makeFields();
    auto* name = new TextLabel(tr("B"), this);
    // So that the fields of A and B begin below one another.
    name->setMinimumWidth(fontMetrics().horizontalAdvance(tr("Prompt")));
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(10, 6, 10, 4);
    layout->setVerticalSpacing(4);
    layout->addWidget(name, 0, 0);
    layout->addLayout(layOutFields(), 0, 1);
    layout->addWidget(strip_, 1, 1);
    layout->addWidget(outcome_, 2, 1);
    layout->setColumnStretch(1, 1);
    connectDocument();
    showFields();
}

void CompareBar::makeFields() {
    edit_ = new PromptEdit(QStringLiteral("comparePrompt"), tr("Prompt of B"), this);
    edit_->setPlaceholderText(tr("The prompt above; type to compare it with another"));
    heads_ = new QComboBox(this);
    heads_->setObjectName(QStringLiteral("compareHeads"));
    heads_->setAccessibleName(tr("Heads of B"));
    heads_->setToolTip(
        tr("Ablate in B the heads that are ablated above, or none. With none ablated "
           "and the same prompt, B is the whole model."));
    heads_->addItem(tr("Ablated as above"), true);
    heads_->addItem(tr("No head ablated"), false);
    makeModelButton();
    align_ = new QPushButton(tr("Align by Itself"), this);
    align_->setObjectName(QStringLiteral("compareAlign"));
    align_->setToolTip(tr("Tokens were aligned by hand; forget that"));
    close_ = new QToolButton(this);
    close_->setObjectName(QStringLiteral("compareClose"));
    close_->setText(QStringLiteral("✕"));
    close_->setAccessibleName(tr("End the comparison"));
    close_->setToolTip(tr("End the comparison (Ctrl+Shift+B)"));
    close_->setAutoRaise(true);
    close_->setFocusPolicy(Qt::StrongFocus);
    jobs_ = new JobIndicator(this);
    jobs_->watch(comparison_.loader(), tr("Loading"));
    strip_ = new PromptStrip(this);
    strip_->setObjectName(QStringLiteral("compareStrip"));
    strip_->setAccessibleName(tr("Tokens of B"));
    outcome_ = new MarkupLabel(this);
    outcome_->setObjectName(QStringLiteral("compareOutcome"));
    outcome_->setWordWrap(true);
}

void CompareBar::makeModelButton() {
    model_ = new QToolButton(this);
    model_->setObjectName(QStringLiteral("compareModel"));
    model_->setPopupMode(QToolButton::InstantPopup);
    model_->setFocusPolicy(Qt::StrongFocus);
    model_->setToolTip(
        tr("The model of B: this one, or another with as many layers and heads, such "
           "as a checkpoint of the same training"));
    auto* menu = new QMenu(model_);
    QAction* same = menu->addAction(tr("&Same Model"), &comparison_, &Comparison::useSameModel);
    same->setObjectName(QStringLiteral("compareSameModel"));
    QAction* other = menu->addAction(tr("&Another Model …"), this, &CompareBar::askForModel);
    other->setObjectName(QStringLiteral("compareOtherModel"));
    model_->setMenu(menu);
}

QLayout* CompareBar::layOutFields() {
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(edit_, 1);
    row->addWidget(jobs_);
    row->addWidget(align_);
    row->addWidget(heads_);
    row->addWidget(model_);
    row->addWidget(close_);
    return row;
}

void CompareBar::connectDocument() {
    connect(edit_, &QLineEdit::textEdited, &comparison_, &Comparison::setPromptText);
    connect(edit_, &QLineEdit::cursorPositionChanged, this,
            [this] { strip_->showTokenAtCursor(*edit_, edit_->text()); });
    connect(heads_, &QComboBox::currentIndexChanged, this,
            [this] { comparison_.setAblatesAsA(heads_->currentData().toBool()); });
    connect(align_, &QPushButton::clicked, &comparison_, &Comparison::alignByItself);
    connect(close_, &QToolButton::clicked, &comparison_, &Comparison::turnOff);
    connect(strip_, &TokenStrip::chipClicked, this,
            [this](qsizetype position) { lockRowOf(static_cast<std::size_t>(position)); });
    connect(strip_, &TokenStrip::chipPicked, this,
            [this](qsizetype position) { alignLockedWith(static_cast<std::size_t>(position)); });
    offerTokenMenu(*strip_);
    offerPredictionMenu(
        *outcome_, [this] { return comparison_.runner().result(); },
        [this](const QString& text) {
            const QString own = comparison_.promptText();
            comparison_.setPromptText((own.isEmpty() ? document_.promptText() : own) + text);
        });
    connect(&comparison_, &Comparison::changed, this, &CompareBar::showFields);
    connect(&comparison_, &Comparison::sourceChanged, this, &CompareBar::showTokens);
    connect(&comparison_, &Comparison::loadFailed, this,
            [this](const QString&, const QString& message) { emit loadFailed(message); });
    connect(&comparison_.runner(), &PromptRunner::errorChanged, this, &CompareBar::showOutcomeOfB);
    connect(&comparison_.runner(), &PromptRunner::currentChanged, this,
            &CompareBar::showOutcomeOfB);
    connect(&document_.selection(), &Selection::lockedRowChanged, this, &CompareBar::showLockedRow);
    connect(&document_.selection(), &Selection::headChanged, this, &CompareBar::showLockedRow);
}

void CompareBar::focusPrompt() {
    edit_->setFocus(Qt::ShortcutFocusReason);
    edit_->selectAll();
}

void CompareBar::showFields() {
    if (edit_->text() != comparison_.promptText())
        edit_->setText(comparison_.promptText());
    heads_->setCurrentIndex(heads_->findData(comparison_.ablatesAsA()));
    const auto other = comparison_.otherModel();
    model_->setText(other ? asCaption(toQString(other->name)) : tr("Same model"));
    showTokens();
    setVisible(comparison_.isOn());
}

void CompareBar::showTokens() {
    const auto b = comparison_.runner().result();
    const PatternSource& compared = comparison_.compared();
    const bool is_compared = b && compared.other == b;
    strip_->showRun(b, is_compared ? compared.result.get() : nullptr,
                    is_compared ? reversed(*compared.other_of, b->prompt.ids.size())
                                : TokenAlignment());
    align_->setVisible(comparison_.isAlignedByHand());
    showOutcomeOfB();
    showLockedRow();
    strip_->showTokenAtCursor(*edit_, edit_->text());
}

void CompareBar::showLockedRow() {
    strip_->showLockedToken(document_.selection().head(),
                            comparison_.positionInB(document_.selection().lockedRow()));
}

void CompareBar::showOutcomeOfB() {
    const QString error = comparison_.runner().error();
    showOutcome(*outcome_, comparison_.runner().result().get(), error);
    const bool is_behind = !comparison_.runner().isCurrent();
    setStale(strip_, is_behind);
    setStale(outcome_, is_behind && error.isEmpty());
}

void CompareBar::askForModel() {
    const auto model = document_.model();
    const QString folder =
        model ? QFileInfo(QString::fromStdString(model->path.string())).absolutePath() : QString();
    const QString path = dialogs_.fileToOpen(this, folder);
    if (!path.isEmpty())
        comparison_.openModel(path);
}

bool CompareBar::showsTheRun() const {
    return strip_->run() == comparison_.runner().result();
}

void CompareBar::lockRowOf(std::size_t position) {
    if (showsTheRun())
        document_.selection().toggleRow(comparison_.rowOfB(position));
}

void CompareBar::alignLockedWith(std::size_t position) {
    const auto locked = comparison_.positionInA(document_.selection().lockedRow());
    if (locked && showsTheRun())
        comparison_.alignByHand({*locked, position});
}

} // namespace headscope::ui

#include "ui/views/prompt/prompt_bar.h"

#include "core/model/prompt.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/prompt/prompt_edit.h"
#include "ui/views/prompt/prompt_strip.h"
#include "ui/views/prompt/prompt_text.h"
#include "ui/views/prompt/token_menus.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/stale.h"

#include <QAction>
#include <QActionGroup>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QMenu>
#include <QSettings>
#include <QToolButton>

#include <cstddef>

namespace headscope::ui {

namespace {

constexpr std::size_t kCounts[] = {1, 5, 20, 100};
constexpr double kTemperatures[] = {0.0, 0.7, 1.0};
constexpr std::size_t kMostKept = 10'000; // tokens, should the settings hold something absurd

QString tokensKey() {
    return QStringLiteral("writing/tokens");
}
QString temperatureKey() {
    return QStringLiteral("writing/temperature");
}

QString tokensText(std::size_t count) {
    return count == 1 ? WriteButton::tr("1 token") : WriteButton::tr("%1 tokens").arg(count);
}

PromptWriter::Settings keptSettings() {
    PromptWriter::Settings settings;
    const QSettings kept;
    const auto tokens = kept.value(tokensKey(), 0).toULongLong();
    if (tokens > 0 && tokens <= kMostKept)
        settings.tokens = tokens;
    const double temperature = kept.value(temperatureKey(), 0.0).toDouble();
    if (temperature > 0.0 && temperature <= 10.0)
        settings.temperature = temperature;
    return settings;
}

} // namespace

WriteButton::WriteButton(PromptWriter& writer, QWidget* parent)
    : QToolButton(parent), writer_(writer) {
    setObjectName(QStringLiteral("writeButton"));
    setPopupMode(QToolButton::MenuButtonPopup);
    setFocusPolicy(Qt::StrongFocus);
    menu_ = new QMenu(this);
    menu_->setObjectName(QStringLiteral("writeMenu"));
    setMenu(menu_);
    writer_.setSettings(keptSettings());
    fillMenu();
    connect(this, &QToolButton::clicked, this, &WriteButton::act);
    connect(&writer_, &PromptWriter::stateChanged, this, &WriteButton::showState);
    showState();
}

void WriteButton::fillMenu() {
    auto* counts = new QActionGroup(this);
    for (const std::size_t count : kCounts) {
        QAction* action = menu_->addAction(tokensText(count), this, [this, count] {
            auto settings = writer_.settings();
            settings.tokens = count;
            choose(settings);
        });
        action->setObjectName(QStringLiteral("write_%1").arg(count));
        action->setCheckable(true);
        action->setChecked(writer_.settings().tokens == count);
        counts->addAction(action);
    }
    menu_->addSeparator();
    auto* temperatures = new QActionGroup(this);
    for (const double temperature : kTemperatures) {
        QAction* action =
            menu_->addAction(temperature == 0.0 ? tr("The most probable token each time")
                                                : tr("Drawn at temperature %1").arg(temperature),
                             this, [this, temperature] {
                                 auto settings = writer_.settings();
                                 settings.temperature = temperature;
                                 choose(settings);
                             });
        action->setObjectName(QStringLiteral("temperature_%1").arg(temperature));
        action->setCheckable(true);
        action->setChecked(writer_.settings().temperature == temperature);
        temperatures->addAction(action);
    }
    copies_ = new CopyActions(
        this, [this] { return writer_.repetition(); }, CopyActions::Keys::None);
    menu_->addSeparator();
    copies_->addTo(*menu_);
    connect(copies_, &CopyActions::said, &writer_, &PromptWriter::said);
}

void WriteButton::choose(const PromptWriter::Settings& settings) {
    writer_.setSettings(settings);
    QSettings().setValue(tokensKey(), static_cast<qulonglong>(settings.tokens));
    QSettings().setValue(temperatureKey(), settings.temperature);
    showState();
}

void WriteButton::act() {
    if (writer_.worker()->isBusy())
        writer_.worker()->cancel();
    else
        writer_.write();
}

void WriteButton::showState() {
    const bool busy = writer_.worker()->isBusy();
    setText(busy ? tr("Stop") : tr("Write on"));
    setEnabled(busy || writer_.canWrite());
    const PromptWriter::Settings settings = writer_.settings();
    QString tip =
        tr("Lets the model go on after the prompt by %1 (Ctrl+G)").arg(tokensText(settings.tokens));
    if (settings.temperature > 0.0)
        tip += QStringLiteral(", ") + tr("drawn at temperature %1 with seed %2")
                                          .arg(settings.temperature)
                                          .arg(writer_.seed());
    setToolTip(asTip(tip));
}

namespace {

/// The token of the prompt that the locked row is of.
std::optional<std::size_t> lockedToken(const Document& document) {
    return document.comparison().positionInA(document.selection().lockedRow());
}

} // namespace

PromptBar::PromptBar(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), writer_(document) {
    edit_ = new PromptEdit(QStringLiteral("promptEdit"), tr("Prompt"), this);
    pair_ = new PromptEdit(QStringLiteral("pairEdit"), tr("Second text"), this);
    pair_->setPlaceholderText(tr("Second text, if there is one"));
    strip_ = new PromptStrip(this);
    strip_->setObjectName(QStringLiteral("tokenStrip"));
    strip_->setAccessibleName(tr("Tokens of the prompt"));
    outcome_ = new MarkupLabel(this);
    outcome_->setObjectName(QStringLiteral("outcomeLabel"));
    outcome_->setWordWrap(true);
    makeBosButton();
    layOut();

    connect(edit_, &QLineEdit::textEdited, this,
            [this] { document_.setPromptText(typedPrompt()); });
    connect(pair_, &QLineEdit::textEdited, this,
            [this] { document_.setPromptText(typedPrompt()); });
    connect(edit_, &QLineEdit::cursorPositionChanged, this,
            [this] { strip_->showTokenAtCursor(*edit_, typedPrompt()); });
    connect(strip_, &TokenStrip::chipClicked, this, [this](qsizetype position) {
        document_.selection().toggleRow(
            document_.comparison().rowOfA(static_cast<std::size_t>(position)));
    });
    offerTokenMenu(*strip_);
    offerPredictionMenu(
        *outcome_, [this] { return document_.promptRunner().result(); },
        [this](const QString& text) { document_.setPromptText(document_.promptText() + text); });
    connect(&document_, &Document::modelChanged, this, &PromptBar::showPrompt);
    connect(&document_, &Document::modelChanged, this, &PromptBar::showTokens);
    connect(&document_, &Document::promptChanged, this, &PromptBar::showPrompt);
    connect(&document_.promptRunner(), &PromptRunner::errorChanged, this, &PromptBar::showPrompt);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this, &PromptBar::showTokens);
    connect(&document_.promptRunner(), &PromptRunner::currentChanged, this,
            &PromptBar::showPredictions);
    connect(&document_.comparison(), &Comparison::sourceChanged, this, &PromptBar::showTokens);
    connect(&document_.selection(), &Selection::lockedRowChanged, this, &PromptBar::showLockedRow);
    connect(&document_.selection(), &Selection::headChanged, this, &PromptBar::showLockedRow);
    showPrompt();
}

QWidget* PromptBar::outcome() const {
    return outcome_;
}

void PromptBar::makeBosButton() {
    bos_button_ = new QToolButton(this);
    bos_button_->setObjectName(QStringLiteral("bosButton"));
    bos_button_->setCheckable(true);
    bos_button_->setPopupMode(QToolButton::MenuButtonPopup);
    bos_button_->setFocusPolicy(Qt::StrongFocus);
    auto* menu = new QMenu(bos_button_);
    bos_modes_ = new QActionGroup(this);
    const QPair<BosMode, QString> modes[] = {{BosMode::Auto, tr("&Automatic: as it was trained")},
                                             {BosMode::Yes, tr("Always &with BOS")},
                                             {BosMode::No, tr("&Never with BOS")}};
    for (const auto& [mode, text] : modes) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setData(static_cast<int>(mode));
        bos_modes_->addAction(action);
    }
    bos_button_->setMenu(menu);
    connect(bos_modes_, &QActionGroup::triggered, this, [this](QAction* action) {
        document_.setBosMode(static_cast<BosMode>(action->data().toInt()));
    });
    connect(bos_button_, &QToolButton::clicked, this, &PromptBar::toggleBos);
}

void PromptBar::layOut() {
    auto* name = new TextLabel(tr("&Prompt"), this);
    name->setBuddy(edit_);
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(10, 8, 10, 4);
    layout->setVerticalSpacing(4);
    layout->addWidget(name, 0, 0);
    auto* texts = new QHBoxLayout;
    texts->setSpacing(6);
    texts->addWidget(edit_, 2);
    texts->addWidget(pair_, 1);
    layout->addLayout(texts, 0, 1);
    layout->addWidget(bos_button_, 0, 2);
    layout->addWidget(strip_, 1, 1, 1, 2);
    layout->addWidget(outcome_, 2, 1);
    layout->addWidget(new WriteButton(writer_, this), 2, 2, Qt::AlignTop);
    layout->setColumnStretch(1, 1);
}

void PromptBar::focusPrompt() {
    edit_->setFocus(Qt::ShortcutFocusReason);
    edit_->selectAll();
}

void PromptBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && outcome_)
        showPredictions();
}

void PromptBar::showPrompt() {
    const auto model = document_.model();
    setEnabled(model != nullptr);
    showTexts();
    edit_->setPlaceholderText(!model             ? tr("Open a model first")
                              : model->tokenizer ? tr("Type a prompt")
                                                 : tr("Type token ids, such as 1 2 3"));
    showBos();
    showPredictions();
}

QString PromptBar::separator() const {
    const auto model = document_.model();
    const auto separator = model && !model->spec.causal ? pairSeparator(*model) : std::nullopt;
    return toQString(separator.value_or(""));
}

QString PromptBar::typedPrompt() const {
    const QString second = pair_->text();
    return second.isEmpty() ? edit_->text() : edit_->text() + separator() + second;
}

/// A prompt of two texts is shown in both fields, unless its separator is being typed in the first.
void PromptBar::showTexts() {
    const QString separates = separator();
    pair_->setHidden(separates.isEmpty());
    pair_->setToolTip(
        asTip(tr("Separated from the first by %1, as the tokenizer separates two texts; "
                 "the line over their chips marks the tokens of segment 1")
                  .arg(separates)));
    const QString& prompt = document_.promptText();
    const bool is_as_typed = typedPrompt() == prompt;
    const bool is_split = pair_->text().isEmpty() || !edit_->text().contains(separates);
    if (is_as_typed && is_split)
        return;
    const auto pair =
        separates.isEmpty() ? std::nullopt : pairOf(*document_.model(), prompt.toStdString());
    const QString first = pair ? toQString(pair->first) : prompt;
    if (edit_->text() != first)
        edit_->setText(first);
    pair_->setText(pair ? toQString(pair->second) : QString());
}

void PromptBar::showBos() {
    const auto model = document_.model();
    const auto result = document_.promptRunner().result();
    const bool has_bos = result && result->prompt.has_bos;
    bos_button_->setChecked(has_bos);
    bos_button_->setText(has_bos ? tr("BOS ✓") : tr("BOS ✗"));
    bos_button_->setEnabled(model && model->spec.bos_token);
    bos_button_->setAccessibleName(has_bos ? tr("Starts with BOS") : tr("Starts without BOS"));
    if (model && !model->spec.bos_token) {
        bos_button_->setToolTip(tr("This model has no BOS token."));
        bos_button_->setAccessibleDescription({});
    } else if (result)
        setRichTip(bos_button_, bosTooltip(*result, document_.bosMode()));
    for (QAction* action : bos_modes_->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(document_.bosMode()));
}

void PromptBar::showTokens() {
    const auto result = document_.promptRunner().result();
    const PatternSource& compared = document_.comparison().compared();
    const bool is_compared = result && compared.result == result;
    strip_->showRun(result, is_compared ? compared.other.get() : nullptr,
                    is_compared ? *compared.other_of : TokenAlignment());
    strip_->showWritten(writer_.written());
    showLockedRow();
    strip_->showTokenAtCursor(*edit_, typedPrompt());
}

void PromptBar::showLockedRow() {
    strip_->showLockedToken(document_.selection().head(), lockedToken(document_));
}

void PromptBar::showPredictions() {
    const QString error = document_.promptRunner().error();
    const auto result = document_.promptRunner().result();
    const bool is_behind = !document_.promptRunner().isCurrent();
    setStale(strip_, is_behind);
    showOutcome(*outcome_, result.get(), error);
    setStale(outcome_, is_behind && error.isEmpty());
}

void PromptBar::toggleBos() {
    const auto result = document_.promptRunner().result();
    const bool wanted = !(result && result->prompt.has_bos);
    const BosMode explicit_mode = wanted ? BosMode::Yes : BosMode::No;
    const Model& model = *document_.model();
    const bool automatic = (model.tokenizer && bosRule(model).add) == wanted; // ids: as they are
    document_.setBosMode(automatic ? BosMode::Auto : explicit_mode);
    showBos();
}

} // namespace headscope::ui

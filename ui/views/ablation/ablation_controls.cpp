#include "ui/views/ablation/ablation_controls.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/ablation/ablated_heads.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/stale.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope::ui {

AblationKindBox::AblationKindBox(Ablation& ablation, const QString& name, QWidget* parent)
    : QComboBox(parent), ablation_(ablation) {
    setObjectName(name);
    setAccessibleName(tr("What replaces the output of an ablated head"));
    setToolTip(tr("What replaces the output of an ablated head: zeros, or its mean over the "
                  "positions of this prompt"));
    addItems({tr("by zero"), tr("by its mean")});
    connect(this, &QComboBox::activated, &ablation_,
            [this](int index) { ablation_.setKind(static_cast<AblationKind>(index)); });
    connect(&ablation_, &Ablation::changed, this, &AblationKindBox::showKind);
    showKind();
}

void AblationKindBox::showKind() {
    setCurrentIndex(static_cast<int>(ablation_.kind()));
}

namespace {

constexpr int kListHeight = 84;
constexpr int kLayerRole = Qt::UserRole;
constexpr int kHeadRole = Qt::UserRole + 1;

} // namespace

AblationPanel::AblationPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    makeControls();
    layOut();
    connect(toggle_, &QPushButton::clicked, this,
            [this] { document_.ablation().toggleHeads(document_.selection().chosen()); });
    connect(clear_, &QPushButton::clicked, &document_.ablation(), &Ablation::clearMask);
    connect(ablated_, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
        document_.selection().select(
            {item->data(kLayerRole).toUInt(), item->data(kHeadRole).toUInt()});
    });
    connect(&document_, &Document::modelChanged, this, &AblationPanel::showLoss);
    for (PromptRunner* runner : {&document_.promptRunner(), &document_.comparison().runner()}) {
        connect(runner, &PromptRunner::resultChanged, this, &AblationPanel::showLoss);
        connect(runner, &PromptRunner::currentChanged, this, &AblationPanel::showLoss);
    }
    connect(&document_.comparison(), &Comparison::changed, this, &AblationPanel::showLoss);
    connect(&document_.ablation(), &Ablation::changed, this, &AblationPanel::showMask);
    connect(&document_.selection(), &Selection::chosenChanged, this, &AblationPanel::showMask);
    showMask();
    showLoss();
}

void AblationPanel::makeControls() {
    toggle_ = new QPushButton(this);
    toggle_->setObjectName(QStringLiteral("ablateHead"));
    toggle_->setToolTip(tr("Replace this head's output before W_O (Del)"));
    kind_ = new AblationKindBox(document_.ablation(), QStringLiteral("ablationKind"), this);
    loss_ = new TextLabel(this);
    loss_->setObjectName(QStringLiteral("lossLabel"));
    loss_->setWordWrap(true);
    ablated_ = new QListWidget(this);
    ablated_->setObjectName(QStringLiteral("ablatedHeads"));
    ablated_->setAccessibleName(tr("Ablated heads"));
    ablated_->setToolTip(tr("Double click or Return selects the head"));
    ablated_->setFixedHeight(kListHeight);
    clear_ = new QPushButton(tr("&Restore All Heads"), this);
    clear_->setObjectName(QStringLiteral("restoreHeads"));
}

void AblationPanel::layOut() {
    auto* title = new TextLabel(tr("Ablation"), this);
    QFont font = title->font();
    font.setBold(true);
    title->setFont(font);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(toggle_, 1);
    buttons->addWidget(kind_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(title);
    layout->addLayout(buttons);
    layout->addWidget(loss_);
    layout->addWidget(ablated_);
    layout->addWidget(clear_, 0, Qt::AlignLeft);
}

void AblationPanel::showMask() {
    const std::vector<LayerHead>& chosen = document_.selection().chosen();
    const HeadMask& mask = document_.ablation().mask();
    setEnabled(document_.model() != nullptr);
    toggle_->setText((document_.ablation().areAblated(chosen) ? tr("Restore %1") : tr("Ablate %1"))
                         .arg(headNames(chosen)));
    ablated_->clear();
    for (const auto& [head, kind] : mask.heads()) {
        auto* item = new QListWidgetItem(
            tr("%1 ablated by %2").arg(headName(head), ablationName(kind)), ablated_);
        item->setData(kLayerRole, static_cast<uint>(head.layer));
        item->setData(kHeadRole, static_cast<uint>(head.head));
    }
    ablated_->setVisible(!mask.empty());
    clear_->setVisible(!mask.empty());
}

/// Shows the loss of the run in sight; for a difference, that of the run it is taken from.
void AblationPanel::showLoss() {
    const Comparison& comparison = document_.comparison();
    const bool is_b = comparison.isOn() && comparison.side() == Side::B;
    const PromptRunner& runner = is_b ? comparison.runner() : document_.promptRunner();
    const QString loss = runner.result() ? lossText(*runner.result()) : QString();
    const QString side = !comparison.isOn() || loss.isEmpty()
                             ? QString()
                             : sideName(is_b ? Side::B : Side::A) + QStringLiteral(": ");
    loss_->setText(side + loss);
    setStale(loss_, !runner.isCurrent());
}

namespace {

constexpr QRgb kStripTint = 0xffe69f00;

} // namespace

AblationStrip::AblationStrip(Document& document, QWidget* parent)
    : TintedFrame(kStripTint, parent), document_(document) {
    setObjectName(QStringLiteral("ablationStrip"));
    setAccessibleName(tr("Effect of the ablated heads"));
    makeControls();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 4, 10, 5);
    layout->setSpacing(3);
    layout->addLayout(makeFirstLine());
    layout->addWidget(effect_);

    connect(&document_.ablation(), &Ablation::changed, this, &AblationStrip::showMask);
    connect(&document_, &Document::modelChanged, this, &AblationStrip::showMask);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this,
            &AblationStrip::showEffect);
    connect(&document_.promptRunner(), &PromptRunner::currentChanged, this,
            &AblationStrip::showEffect);
    connect(document_.ablation().undoStack(), &QUndoStack::indexChanged, this,
            &AblationStrip::showUndo);
    showMask();
    showUndo();
}

void AblationStrip::makeControls() {
    count_ = new TextLabel(this);
    count_->setObjectName(QStringLiteral("ablatedCount"));
    QFont bold = count_->font();
    bold.setBold(true);
    count_->setFont(bold);
    kind_ = new AblationKindBox(document_.ablation(), QStringLiteral("stripKind"), this);
    undo_ = new QPushButton(this);
    undo_->setObjectName(QStringLiteral("stripUndo"));
    undo_->setToolTip(tr("Takes the last step back (Ctrl+Z)"));
    clear_ = new QPushButton(tr("Restore All"), this);
    clear_->setObjectName(QStringLiteral("stripClear"));
    clear_->setToolTip(tr("Restores all ablated heads"));
    effect_ = new MarkupLabel(this);
    effect_->setObjectName(QStringLiteral("ablationEffect"));
    effect_->setWordWrap(true);
    effect_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(undo_, &QPushButton::clicked, document_.ablation().undoStack(), &QUndoStack::undo);
    connect(clear_, &QPushButton::clicked, &document_.ablation(), &Ablation::clearMask);
}

QLayout* AblationStrip::makeFirstLine() {
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(count_);
    line->addWidget(new AblatedHeads(document_, this), 1);
    line->addWidget(kind_);
    line->addWidget(undo_);
    line->addWidget(clear_);
    return line;
}

void AblationStrip::showMask() {
    const HeadMask& mask = document_.ablation().mask();
    count_->setText(ablatedText(mask));
    showEffect();
    setVisible(!mask.empty());
}

void AblationStrip::showEffect() {
    const auto result = document_.promptRunner().result();
    const bool current = result && result->mask == document_.ablation().mask();
    if (current && !result->mask.empty()) {
        effect_->setMarkup(ablationMarkup(*result));
        effect_->setToolTip(asTip(ablationTip(*result)));
    } else if (!result || result->mask.empty()) {
        effect_->setMarkup(Markup(tr("Running the prompt …")));
        effect_->setToolTip({});
    }
    setStale(effect_, !current || !document_.promptRunner().isCurrent());
}

void AblationStrip::showUndo() {
    const QString step = document_.ablation().undoStack()->undoText();
    undo_->setText(step.isEmpty() ? tr("Undo") : tr("Undo %1").arg(step));
    undo_->setEnabled(document_.ablation().undoStack()->canUndo());
}

} // namespace headscope::ui

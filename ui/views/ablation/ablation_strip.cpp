#include "ui/views/ablation/ablation_strip.h"

#include "ui/views/ablation/ablated_heads.h"
#include "ui/views/ablation/ablation_kind_box.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/widgets/stale.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope::ui {
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
    connect(document_.ablation().undoStack(), &QUndoStack::indexChanged, this,
            &AblationStrip::showUndo);
    showMask();
    showUndo();
}

void AblationStrip::makeControls() {
    count_ = new QLabel(this);
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
    effect_ = new QLabel(this);
    effect_->setObjectName(QStringLiteral("ablationEffect"));
    effect_->setTextFormat(Qt::RichText);
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
        effect_->setText(ablationHtml(*result));
        effect_->setToolTip(ablationTip(*result));
    } else if (!result || result->mask.empty()) {
        effect_->setText(tr("Running the prompt …"));
        effect_->setToolTip({});
    }
    setStale(effect_, !current);
}

void AblationStrip::showUndo() {
    const QString step = document_.ablation().undoStack()->undoText();
    undo_->setText(step.isEmpty() ? tr("Undo") : tr("Undo %1").arg(step));
    undo_->setEnabled(document_.ablation().undoStack()->canUndo());
}

} // namespace headscope::ui

#include "ui/views/ablation/ablation_panel.h"

#include "ui/tables/head_text.h"
#include "ui/views/ablation/ablation_kind_box.h"
#include "ui/views/ablation/ablation_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope::ui {
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
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this,
            &AblationPanel::showLoss);
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
    loss_ = new QLabel(this);
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
    auto* title = new QLabel(tr("Ablation"), this);
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

void AblationPanel::showLoss() {
    const auto result = document_.promptRunner().result();
    loss_->setText(result ? lossText(*result) : QString());
}

} // namespace headscope::ui

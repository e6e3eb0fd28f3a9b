#include "ui/views/scores/ablation_panel.h"

#include "core/base/text.h"
#include "ui/tables/head_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <cmath>

namespace headscope::ui {
namespace {

constexpr int kListHeight = 84;
constexpr int kLayerRole = Qt::UserRole;
constexpr int kHeadRole = Qt::UserRole + 1;

} // namespace

QString lossNumber(double nats) {
    return QString::fromStdString(fixedText(nats, 3));
}

QString signedNats(double difference) {
    const QChar sign = difference < 0.0 ? QChar(0x2212) : QLatin1Char('+');
    return sign + lossNumber(std::abs(difference));
}

QString lossText(const RunResult& result) {
    if (!result.full_loss || !result.masked_loss)
        return result.full->model->spec.causal && result.full->model->spec.d_vocab > 0
                   ? AblationPanel::tr("No loss: it needs a prompt of two tokens and a vocabulary.")
                   : AblationPanel::tr("No loss: this model predicts no next token.");
    if (result.mask.empty())
        return AblationPanel::tr("Loss %1 nats per token, no head ablated")
            .arg(lossNumber(*result.full_loss));
    return AblationPanel::tr("Loss %1 → %2 (%3, %4)")
        .arg(lossNumber(*result.full_loss), lossNumber(*result.masked_loss),
             signedNats(*result.masked_loss - *result.full_loss),
             result.mask.size() == 1
                 ? AblationPanel::tr("1 head ablated")
                 : AblationPanel::tr("%1 heads ablated").arg(result.mask.size()));
}

AblationPanel::AblationPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    makeControls();
    layOut();
    connect(toggle_, &QPushButton::clicked, this,
            [this] { document_.toggleHead(document_.selected()); });
    connect(kind_, &QComboBox::activated, this,
            [this](int index) { document_.setAblationKind(static_cast<AblationKind>(index)); });
    connect(clear_, &QPushButton::clicked, &document_, &Document::clearMask);
    connect(ablated_, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
        document_.select({item->data(kLayerRole).toUInt(), item->data(kHeadRole).toUInt()});
    });
    connect(&document_, &Document::modelChanged, this, &AblationPanel::showLoss);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this,
            &AblationPanel::showLoss);
    connect(&document_, &Document::maskChanged, this, &AblationPanel::showMask);
    connect(&document_, &Document::selectionChanged, this, &AblationPanel::showMask);
    showMask();
    showLoss();
}

void AblationPanel::makeControls() {
    toggle_ = new QPushButton(this);
    toggle_->setObjectName(QStringLiteral("ablateHead"));
    toggle_->setToolTip(tr("Replace this head's output before W_O (Del)"));
    kind_ = new QComboBox(this);
    kind_->setObjectName(QStringLiteral("ablationKind"));
    kind_->setAccessibleName(tr("What replaces the output of an ablated head"));
    kind_->setToolTip(tr("What replaces the output of an ablated head: zeros, or its mean over "
                         "the positions of this prompt"));
    kind_->addItems({tr("by zero"), tr("by its mean")});
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
    const LayerHead selected = document_.selected();
    const HeadMask& mask = document_.mask();
    setEnabled(document_.model() != nullptr);
    toggle_->setText(
        (mask.isAblated(selected) ? tr("Restore %1") : tr("Ablate %1")).arg(headName(selected)));
    {
        const QSignalBlocker blocker(kind_);
        kind_->setCurrentIndex(static_cast<int>(document_.ablationKind()));
    }
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

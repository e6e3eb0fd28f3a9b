#include "ui/views/pruning/way_panel.h"

#include "core/engine/head_mask.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

namespace headscope::ui {
namespace {

constexpr int kMostLeast = 1000;

template <class Enum>
void addChoice(QComboBox* box, const QString& text, Enum value) {
    box->addItem(text, static_cast<int>(value));
}

template <class Enum>
Enum chosenIn(const QComboBox* box) {
    return static_cast<Enum>(box->currentData().toInt());
}

} // namespace

WayPanel::WayPanel(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    makeWhatGoes();
    makeWhatStandsIn();
    layOut();
    connect(unit_, &QComboBox::currentIndexChanged, this, &WayPanel::showModel);
    connect(protect_, &QToolButton::clicked, this, &WayPanel::protectSelection);
    connect(&document_, &Document::modelChanged, this, &WayPanel::showModel);
    connect(&document_.selection(), &Selection::headChanged, this, &WayPanel::showSelection);
    showModel();
    showSelection();
}

QComboBox* WayPanel::makeBox(const char* name, const QString& tip) {
    auto* box = new QComboBox(this);
    box->setObjectName(QString::fromLatin1(name));
    box->setToolTip(asTip(tip));
    return box;
}

QSpinBox* WayPanel::makeSpin(const char* name, const QString& tip, int most, int value) {
    auto* spin = new QSpinBox(this);
    spin->setObjectName(QString::fromLatin1(name));
    spin->setToolTip(asTip(tip));
    spin->setMaximum(most);
    spin->setValue(value);
    return spin;
}

void WayPanel::makeWhatGoes() {
    unit_ = makeBox("pruneUnit", tr("What is removed at a time"));
    addChoice(unit_, tr("Query head"), PruningUnit::Head);
    addChoice(unit_, tr("KV group"), PruningUnit::Group);
    addChoice(unit_, tr("Attention of a layer"), PruningUnit::Layer);
    unit_note_ = new TextLabel(this);
    unit_note_->setObjectName(QStringLiteral("unitNote"));
    unit_note_->setWordWrap(true);
    unit_note_->setForegroundRole(QPalette::PlaceholderText);
    least_ =
        makeSpin("leastPerLayer", tr("How many heads or KV groups stay in every layer at least"),
                 kMostLeast, 0);
    protected_ = new QLineEdit(this);
    protected_->setObjectName(QStringLiteral("protectedHeads"));
    protected_->setPlaceholderText(tr("none, or 4.1 4.2"));
    protected_->setToolTip(tr("Heads that stay whatever their score, as layer.head"));
    protect_ = new QToolButton(this);
    protect_->setObjectName(QStringLiteral("protectSelected"));
    protect_->setFocusPolicy(Qt::StrongFocus);
    protect_->setToolTip(tr("Adds the head that is selected in the grid"));
}

void WayPanel::makeWhatStandsIn() {
    replacement_ = makeBox("pruneReplacement",
                           tr("What replaces the output of a removed head while heads are scored, "
                              "and on the curve where nothing compensates for it"));
    addChoice(replacement_, tr("Zero"), Replacement::Zero);
    addChoice(replacement_, tr("Its mean on the calibration text"), Replacement::Mean);
    addChoice(replacement_, tr("Another passage's value"), Replacement::Resample);
    compensation_ = makeBox("pruneCompensation",
                            tr("What makes up for removed heads in the smaller model; with any, "
                               "the curves are those of the compensated model"));
    addChoice(compensation_, tr("Nothing"), Compensation::None);
    addChoice(compensation_, tr("Mean into the output bias"), Compensation::Bias);
    addChoice(compensation_, tr("Ridge least squares on W_O"), Compensation::Ridge);
    addChoice(compensation_, tr("Closest head, rotated"), Compensation::Rotation);
}

void WayPanel::layOut() {
    auto* stay = new QHBoxLayout;
    stay->addWidget(protected_, 1);
    stay->addWidget(protect_);
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(4);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("&One at a time"), unit_);
    form->addRow(QString(), unit_note_);
    form->addRow(tr("&Least per layer"), least_);
    auto* name = new TextLabel(tr("P&rotected"), this);
    name->setBuddy(protected_);
    form->addRow(name, stay);
    form->addRow(tr("&Ablation"), replacement_);
    form->addRow(tr("Comp&ensation"), compensation_);
}

void WayPanel::showModel() {
    const auto model = document_.model();
    const bool shared = model && model->spec.headsPerGroup() > 1;
    const bool heads = chosenIn<PruningUnit>(unit_) == PruningUnit::Head;
    unit_note_->setText(tr("Removing a head of a KV group saves W_Q and W_O; W_K, W_V and the KV "
                           "cache go with the last head of the group."));
    unit_note_->setVisible(shared && heads);
}

void WayPanel::showSelection() {
    protect_->setText(tr("+ %1").arg(headName(document_.selection().head())));
}

void WayPanel::protectSelection() {
    const QString head = toQString(headText(document_.selection().head()));
    const QString before = protected_->text().trimmed();
    if (!before.split(QLatin1Char(' ')).contains(head))
        protected_->setText(before.isEmpty() ? head : before + QLatin1Char(' ') + head);
}

Result<PruningQuestion> WayPanel::question(const ModelSpec& spec) const {
    auto heads = parseHeads(protected_->text().toStdString(), spec);
    if (!heads)
        return heads.error();
    PruningQuestion question;
    question.unit = chosenIn<PruningUnit>(unit_);
    question.limits = {static_cast<std::size_t>(least_->value()), *std::move(heads)};
    question.replacement = chosenIn<Replacement>(replacement_);
    question.compensation = chosenIn<Compensation>(compensation_);
    return question;
}

} // namespace headscope::ui

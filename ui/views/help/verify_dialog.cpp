#include "ui/views/help/verify_dialog.h"

#include "core/export/run_calls.h"
#include "core/export/verify_report.h"
#include "core/io/atomic_file.h"
#include "core/verify/verify.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/widgets/labels.h"

#include <QClipboard>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <utility>

namespace headscope::ui {
namespace {

constexpr QSize kVerifySize{900, 640};
constexpr int kFractionSteps = 1000;
constexpr int kNameWidth = 380;
constexpr int kExpectedWidth = 230;

enum CheckColumn { NameColumn, ExpectedColumn, MeasuredColumn };

QString markedName(const Check& check) {
    switch (check.outcome) {
    case Check::Passed:
        return QStringLiteral("✓ %1").arg(toQString(check.name));
    case Check::Failed:
        return QStringLiteral("✗ %1").arg(toQString(check.name));
    case Check::NotVerified:
        return QStringLiteral("? %1").arg(toQString(check.name));
    case Check::NotApplicable:
        return QStringLiteral("– %1").arg(toQString(check.name));
    }
    return {};
}

QTreeWidgetItem* checkItem(const Check& check) {
    auto* item = new QTreeWidgetItem;
    item->setText(NameColumn, markedName(check));
    item->setText(ExpectedColumn, toQString(check.expected));
    item->setText(
        MeasuredColumn,
        toQString(check.outcome == Check::NotApplicable ? check.explanation : check.measured));
    QFont font = item->font(NameColumn);
    font.setBold(check.outcome == Check::Failed || check.outcome == Check::NotVerified);
    item->setToolTip(NameColumn, asTip(toQString(check.explanation)));
    for (const int column : {NameColumn, ExpectedColumn, MeasuredColumn})
        item->setFont(column, font);
    for (const int column : {ExpectedColumn, MeasuredColumn})
        item->setToolTip(column,
                         asTip(item->text(column))); // all of it where the column is narrow
    return item;
}

/// What was found; what speaks against the model comes first.
QString saidOf(const VerifyReport& report, const QString& counts) {
    if (report.model_name.empty())
        return VerifyDialog::tr("%1 No model is open: only what needs none was checked.")
            .arg(counts);
    if (report.count(Check::NotVerified) == 0)
        return counts;
    return VerifyDialog::tr("Not verified: the model may not be what its file says; see the lines "
                            "with a question mark. %1")
        .arg(counts);
}

} // namespace

VerifyDialog::VerifyDialog(std::shared_ptr<const Model> model, const LoadOptions& options,
                           Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), model_(std::move(model)), options_(options), dialogs_(dialogs) {
    setObjectName(QStringLiteral("verifyDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(model_ ? tr("Verify Headscope and %1").arg(asTitle(toQString(model_->name)))
                          : tr("Verify Headscope"));
    makeFields();
    layOut();
    resize(kVerifySize);
    connect(&worker_, &JobRunner::progressed, this, [this](double fraction, const QString& stage) {
        progress_->setValue(qRound(fraction * kFractionSteps));
        state_->setText(tr("Checking: %1 …").arg(stage));
    });
    connect(&worker_, &JobRunner::busyChanged, this, &VerifyDialog::showState);
    start();
}

QPushButton* VerifyDialog::addButton(const char* name, const QString& text,
                                     void (VerifyDialog::*act)()) {
    QPushButton* button = makeButton(name, text, {}, this);
    connect(button, &QPushButton::clicked, this, act);
    return button;
}

void VerifyDialog::makeFields() {
    reference_ = new QLineEdit(this);
    reference_->setObjectName(QStringLiteral("verifyReference"));
    reference_->setPlaceholderText(tr("outputs of this model that another program stored (.h5)"));
    browse_ = addButton("verifyBrowse", tr("&Browse …"), &VerifyDialog::browse);
    run_ = addButton("verifyRun", tr("Verify &Again"), &VerifyDialog::start);
    stop_ = addButton("verifyStop", tr("S&top"), &VerifyDialog::stop);
    copy_ = addButton("verifyCopy", tr("&Copy"), &VerifyDialog::copy);
    copies_ = new CopyActions(this, [this] { return repetition(); });
    connect(copies_, &CopyActions::said, this,
            [this](const QString& text) { state_->setText(text); });
    save_ = addButton("verifySave", tr("&Save …"), &VerifyDialog::save);
    progress_ = new QProgressBar(this);
    progress_->setObjectName(QStringLiteral("verifyProgress"));
    progress_->setRange(0, kFractionSteps);
    progress_->setTextVisible(false);
    state_ = new TextLabel(this);
    state_->setObjectName(QStringLiteral("verifyState"));
    state_->setWordWrap(true);
    state_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    checks_ = new QTreeWidget(this);
    checks_->setObjectName(QStringLiteral("verifyChecks"));
    checks_->setAccessibleName(tr("Checks"));
    checks_->setHeaderLabels({tr("Check"), tr("Expected"), tr("Measured")});
    checks_->header()->resizeSection(NameColumn, kNameWidth);
    checks_->header()->resizeSection(ExpectedColumn, kExpectedWidth);
}

void VerifyDialog::layOut() {
    auto* reference = new QHBoxLayout;
    auto* label = new TextLabel(tr("&Reference"), this);
    label->setBuddy(reference_);
    reference->addWidget(label);
    reference->addWidget(reference_, 1);
    reference->addWidget(browse_);
    reference->addWidget(run_);
    for (QWidget* field : {static_cast<QWidget*>(reference_), static_cast<QWidget*>(browse_)})
        field->setEnabled(model_ != nullptr);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setObjectName(QStringLiteral("verifyClose"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(copy_);
    bottom->addWidget(copies_->makeButton(this));
    bottom->addWidget(save_);
    bottom->addWidget(progress_, 1);
    bottom->addWidget(stop_);
    bottom->addStretch(1);
    bottom->addWidget(buttons);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(reference);
    layout->addWidget(state_);
    layout->addWidget(checks_, 1);
    layout->addLayout(bottom);
}

void VerifyDialog::start() {
    VerifyOptions options;
    options.model = model_;
    options.date = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    if (model_ && !reference_->text().trimmed().isEmpty())
        options.reference = reference_->text().trimmed().toStdString();
    verified_reference_ = model_ ? reference_->text().trimmed() : QString();
    report_.reset();
    checks_->clear();
    progress_->setValue(0);
    state_->setText(tr("Checking …"));
    worker_.start(
        [options](const Progress& progress, const std::stop_token& stop) {
            return verify(options, progress, stop);
        },
        [this](const Result<VerifyReport>& report) { finish(report); });
}

void VerifyDialog::stop() {
    worker_.cancel();
    state_->setText(tr("Stopped."));
}

void VerifyDialog::finish(const Result<VerifyReport>& report) {
    if (!report)
        return state_->setText(toQString(report.error().message));
    report_ = *report;
    const QString counts = tr("%1 passed, %2 failed, %3 not verified, %4 not applicable.")
                               .arg(report_->count(Check::Passed))
                               .arg(report_->count(Check::Failed))
                               .arg(report_->count(Check::NotVerified))
                               .arg(report_->count(Check::NotApplicable));
    state_->setText(saidOf(*report_, counts));
    for (const Section& section : report_->sections)
        showSection(section);
    showState();
}

void VerifyDialog::showSection(const Section& section) {
    auto* group = new QTreeWidgetItem(checks_, {toQString(section.name)});
    group->setFirstColumnSpanned(true);
    for (const Check& check : section.checks)
        group->addChild(checkItem(check));
    group->setExpanded(true);
}

void VerifyDialog::showState() {
    const bool busy = worker_.isBusy();
    progress_->setVisible(busy);
    stop_->setVisible(busy);
    run_->setEnabled(!busy);
    copy_->setEnabled(report_.has_value());
    save_->setEnabled(report_.has_value());
    copies_->refresh();
}

Repetition VerifyDialog::repetition() const {
    if (!report_)
        return notRepeated(tr("There is no report yet."));
    const auto loaded =
        model_ ? std::optional<LoadedModel>(LoadedModel{*model_, options_}) : std::nullopt;
    return Calls{
        verifyCall(loaded, verified_reference_.isEmpty()
                               ? std::string()
                               : QFileInfo(verified_reference_).absoluteFilePath().toStdString())};
}

void VerifyDialog::browse() {
    const QString path = dialogs_.storedOutputsToOpen(
        this, QFileInfo(QString::fromStdString(model_->path.string())).path());
    if (!path.isEmpty())
        reference_->setText(path);
}

void VerifyDialog::copy() {
    QGuiApplication::clipboard()->setText(toQString(verifyText(*report_)));
}

void VerifyDialog::save() {
    const QString name = model_ ? toQString(model_->name) : QStringLiteral("headscope");
    const QString path = dialogs_.fileToSave(this, name + QStringLiteral("-verification.txt"),
                                             tr("Text (*.txt);;JSON (*.json)"));
    if (path.isEmpty())
        return;
    const bool json = path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive);
    const auto written =
        writeFileAtomically(path.toStdString(), json ? verifyJson(*report_) : verifyText(*report_));
    state_->setText(written ? tr("Written: %1").arg(path) : toQString(written.error().message));
}

} // namespace headscope::ui

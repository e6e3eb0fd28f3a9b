#include "ui/views/export/export_dialog.h"

#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/export/export_repetition.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/export_place.h"
#include "ui/views/pages/table_export.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace headscope::ui {
namespace {

constexpr int kPathWidth = 460;

QString quietName(const QString& extension) {
    return extension.mid(1).toUpper();
}

} // namespace

ExportDialog::ExportDialog(Document& document, ShownView view, SaveFigure save_figure,
                           Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), document_(document), view_(std::move(view)),
      save_figure_(std::move(save_figure)), dialogs_(dialogs) {
    setObjectName(QStringLiteral("exportDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Export"));
    makeFields();
    layOut();
    path_->setText(QDir(exportFolder()).filePath(QStringLiteral("pattern")));
    connect(what_, &QComboBox::currentIndexChanged, this, &ExportDialog::showFormats);
    connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::suggestPath);
    connect(path_, &QLineEdit::textChanged, this, &ExportDialog::showState);
    connect(browse_, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(&document_, &Document::modelChanged, this, &QDialog::reject);
    showFormats();
}

void ExportDialog::makeFields() {
    const LayerHead head = document_.selection().head();
    what_ = new QComboBox(this);
    what_->setObjectName(QStringLiteral("exportWhat"));
    const QPair<ExportWhat, QString> choices[] = {
        {ExportWhat::Figure, figureText()},
        {ExportWhat::Head, tr("Numbers of %1").arg(headName(head))},
        {ExportWhat::Layer, tr("Numbers of layer %1").arg(head.layer)},
        {ExportWhat::AllHeads, tr("Numbers of all heads")},
        {ExportWhat::Scores, tr("Table of types and scores")}};
    for (const auto& [what, text] : choices)
        what_->addItem(text, static_cast<int>(what));
    if (view_.why) {
        what_->addItem(tr("Parts of the score, all pairs"), static_cast<int>(ExportWhat::WhyParts));
        what_->addItem(tr("Graph of why, as numbers"), static_cast<int>(ExportWhat::WhyTrace));
    }
    if (view_.inside)
        what_->addItem(tr("Steps inside the head, a row for each key"),
                       static_cast<int>(ExportWhat::InsideSteps));
    format_ = new QComboBox(this);
    format_->setObjectName(QStringLiteral("exportFormat"));
    path_ = new QLineEdit(this);
    path_->setObjectName(QStringLiteral("exportPath"));
    path_->setMinimumWidth(kPathWidth);
    browse_ = new QPushButton(tr("&Browse …"), this);
    browse_->setObjectName(QStringLiteral("exportBrowse"));
    summary_ = new TextLabel(this);
    summary_->setObjectName(QStringLiteral("exportSummary"));
    summary_->setWordWrap(true);
    summary_->setForegroundRole(QPalette::PlaceholderText);
    state_ = new TextLabel(this);
    state_->setObjectName(QStringLiteral("exportState"));
    state_->setWordWrap(true);
}

QString ExportDialog::figureText() const {
    switch (view_.page) {
    case PatternPage::Text:
        return tr("Text with %1").arg(headNames(document_.selection().chosen()));
    case PatternPage::Lines:
        return tr("Lines of %1").arg(headNames(document_.selection().chosen()));
    case PatternPage::Why:
        return tr("Graph of why %1 looks there").arg(headName(document_.selection().head()));
    case PatternPage::Inside:
        return tr("Picture of the steps inside %1").arg(headName(document_.selection().head()));
    case PatternPage::Heatmap:
    case PatternPage::AllHeads:
        break;
    }
    return tr("Picture of %1").arg(headName(document_.selection().head()));
}

void ExportDialog::layOut() {
    auto* place = new QHBoxLayout;
    place->addWidget(path_, 1);
    place->addWidget(browse_);
    auto* form = new QFormLayout;
    form->addRow(tr("&What"), what_);
    form->addRow(tr("&Format"), format_);
    auto* file = new TextLabel(tr("F&ile"), this);
    file->setBuddy(path_);
    form->addRow(file, place);
    form->addRow(QString(), summary_);
    form->addRow(QString(), state_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    write_ = buttons->addButton(tr("&Export"), QDialogButtonBox::AcceptRole);
    write_->setObjectName(QStringLiteral("exportWrite"));
    copies_ = new CopyActions(this, [this] { return repetition(); });
    buttons->layout()->addWidget(copies_->makeButton(this));
    connect(copies_, &CopyActions::said, state_, &QLabel::setText);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::write);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addStretch(1);
    layout->addWidget(buttons);
}

ExportPlan ExportDialog::plan() const {
    return exportPlan(document_, static_cast<ExportWhat>(what_->currentData().toInt()), view_);
}

void ExportDialog::showFormats() {
    const ExportPlan now = plan();
    const QSignalBlocker blocker(format_);
    format_->clear();
    for (const QString& extension : extensionsFor(now))
        format_->addItem(quietName(extension), extension);
    summary_->setText(exportSummary(now));
    suggestPath();
}

void ExportDialog::suggestPath() {
    const QDir folder = QFileInfo(path_->text()).dir();
    path_->setText(folder.filePath(exportFileName(plan(), format_->currentData().toString())));
    showState();
}

void ExportDialog::showState() {
    const QFileInfo file(path_->text());
    write_->setEnabled(!path_->text().trimmed().isEmpty() && !worker_.isBusy());
    state_->setText(file.exists() ? tr("%1 exists and will be replaced.").arg(file.fileName())
                                  : QString());
    copies_->refresh();
}

Repetition ExportDialog::repetition() const {
    return exportRepetition(document_, plan(), QFileInfo(path_->text()).absoluteFilePath());
}

void ExportDialog::browse() {
    const QString extension = format_->currentData().toString();
    const QString filter = QStringLiteral("%1 (*%2)").arg(quietName(extension), extension);
    const QString path = dialogs_.fileToSave(this, path_->text(), filter);
    if (!path.isEmpty())
        path_->setText(path);
}

void ExportDialog::write() {
    const ExportPlan now = plan();
    const QString path = QFileInfo(path_->text()).absoluteFilePath();
    const QString extension = QLatin1Char('.') + QFileInfo(path).suffix().toLower();
    if (!extensionsFor(now).contains(extension))
        return state_->setText(
            tr("%1 should end in %2.")
                .arg(QFileInfo(path).fileName(), extensionsFor(now).join(tr(" or "))));
    if (now.what == ExportWhat::Figure)
        return finish(save_figure_(path), path);
    worker_.start([now, path](const Progress&, std::stop_token) { return writeExport(now, path); },
                  [this, path](const Result<void>& written) { finish(written, path); });
    write_->setEnabled(false);
    state_->setText(tr("Writing …"));
}

void ExportDialog::finish(const Result<void>& written, const QString& path) {
    if (!written) {
        showState();
        return state_->setText(toQString(written.error().message));
    }
    keepExportFolder(path);
    emit exported(path, repetition());
    accept();
}

} // namespace headscope::ui

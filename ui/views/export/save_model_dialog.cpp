#include "ui/views/export/save_model_dialog.h"

#include "core/base/text.h"
#include "core/export/run_calls.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/export_place.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace headscope::ui {
namespace {

constexpr int kSavePathWidth = 460;
constexpr int kSaveSteps = 1000;

/// "gpt2.h5" beside the model, or "gpt2-copy.h5" where that is the model itself; elsewhere where
/// nothing can be written beside it, as with samples that were installed.
QString suggestedPath(const Model& model) {
    const QFileInfo file(QString::fromStdString(model.path.string()));
    const bool is_writable = QFileInfo(file.path()).isWritable();
    const QDir folder = is_writable ? file.dir() : QDir(exportFolder());
    const QString name = toQString(model.name);
    const QString path = folder.filePath(name + QStringLiteral(".h5"));
    return path == file.filePath() ? folder.filePath(name + QStringLiteral("-copy.h5")) : path;
}

} // namespace

SaveModelDialog::SaveModelDialog(std::shared_ptr<const Model> model, const LoadOptions& options,
                                 Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), model_(std::move(model)), options_(options), dialogs_(dialogs) {
    setObjectName(QStringLiteral("saveModelDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Save %1 as HDF5").arg(asTitle(toQString(model_->name))));
    makeFields();
    layOut();
    connect(path_, &QLineEdit::textChanged, this, &SaveModelDialog::showState);
    connect(browse_, &QPushButton::clicked, this, &SaveModelDialog::browse);
    connect(&worker_, &JobRunner::progressed, this,
            [this](double fraction) { progress_->setValue(qRound(fraction * kSaveSteps)); });
    path_->setText(suggestedPath(*model_));
}

void SaveModelDialog::makeFields() {
    format_ = new QComboBox(this);
    format_->setObjectName(QStringLiteral("saveFormat"));
    for (const FloatFormat format :
         {FloatFormat::Float32, FloatFormat::Float16, FloatFormat::BFloat16})
        format_->addItem(formatText(format), static_cast<int>(format));
    path_ = new QLineEdit(this);
    path_->setObjectName(QStringLiteral("savePath"));
    path_->setMinimumWidth(kSavePathWidth);
    browse_ = new QPushButton(tr("&Browse …"), this);
    browse_->setObjectName(QStringLiteral("saveBrowse"));
    progress_ = new QProgressBar(this);
    progress_->setObjectName(QStringLiteral("saveProgress"));
    progress_->setRange(0, kSaveSteps);
    progress_->setTextVisible(false);
    progress_->hide();
    state_ = new TextLabel(this);
    state_->setObjectName(QStringLiteral("saveState"));
    state_->setWordWrap(true);
}

void SaveModelDialog::layOut() {
    auto* about =
        new TextLabel(tr("One file with all tensors under their PyTorch names, the config "
                         "and the tokenizer. Ablated heads are saved whole."),
                      this);
    about->setWordWrap(true);
    about->setForegroundRole(QPalette::PlaceholderText);
    auto* place = new QHBoxLayout;
    place->addWidget(path_, 1);
    place->addWidget(browse_);
    auto* form = new QFormLayout;
    form->addRow(about);
    form->addRow(tr("&Numbers"), format_);
    auto* file = new TextLabel(tr("F&ile"), this);
    file->setBuddy(path_);
    form->addRow(file, place);
    form->addRow(QString(), progress_);
    form->addRow(QString(), state_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    save_ = buttons->addButton(tr("&Save"), QDialogButtonBox::AcceptRole);
    save_->setObjectName(QStringLiteral("saveWrite"));
    copies_ = new CopyActions(this, [this] { return repetition(); });
    buttons->layout()->addWidget(copies_->makeButton(this));
    connect(copies_, &CopyActions::said, state_, &QLabel::setText);
    connect(buttons, &QDialogButtonBox::accepted, this, &SaveModelDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addStretch(1);
    layout->addWidget(buttons);
}

FloatFormat SaveModelDialog::format() const {
    return static_cast<FloatFormat>(format_->currentData().toInt());
}

QString SaveModelDialog::formatText(FloatFormat format) const {
    const std::size_t numbers = modelCard(*model_).total_parameters;
    const QString size = toQString(byteText(numbers * bytesPerNumber(format)));
    switch (format) {
    case FloatFormat::Float32:
        return tr("float32, as computed with: %1").arg(size);
    case FloatFormat::Float16:
        return tr("float16, 11 significant bits: %1").arg(size);
    case FloatFormat::BFloat16:
        return tr("bfloat16, 8 significant bits: %1").arg(size);
    }
    return {};
}

void SaveModelDialog::showState() {
    const QFileInfo file(path_->text());
    save_->setEnabled(!path_->text().trimmed().isEmpty() && !worker_.isBusy());
    state_->setText(file.exists() ? tr("%1 exists and will be replaced.").arg(file.fileName())
                                  : QString());
}

Repetition SaveModelDialog::repetition() const {
    if (path_->text().trimmed().isEmpty())
        return notRepeated(tr("Choose a file first."));
    const QString path = QFileInfo(path_->text()).absoluteFilePath();
    return Calls{convertCall({*model_, options_}, path.toStdString(), format())};
}

void SaveModelDialog::browse() {
    const QString path = dialogs_.fileToSave(this, path_->text(), tr("HDF5 (*.h5)"));
    if (!path.isEmpty())
        path_->setText(path);
}

void SaveModelDialog::save() {
    const QString path = QFileInfo(path_->text()).absoluteFilePath();
    worker_.start(
        [input = model_->path, output = path.toStdString(), format = format(),
         options = options_](const Progress& progress, std::stop_token stop) {
            return convertModel(input, output, format, options, progress, stop);
        },
        [this, path](const Result<ConvertedModel>& converted) { finish(converted, path); });
    save_->setEnabled(false);
    progress_->show();
    state_->setText(tr("Writing …"));
}

void SaveModelDialog::finish(const Result<ConvertedModel>& converted, const QString& path) {
    progress_->hide();
    if (!converted) {
        showState();
        return state_->setText(toQString(converted.error().message));
    }
    emit saved(path, toQString(converted->note), repetition());
    accept();
}

} // namespace headscope::ui

#include "ui/views/pruning/text_source.h"

#include "core/io/atomic_file.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/export/export_plan.h"

#include <QComboBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSpinBox>

#include <utility>

namespace headscope::ui {
namespace {

constexpr int kFewestTokens = 64;
constexpr int kMostTokens = 10'000'000;
constexpr int kFirstTokens = 4096;
constexpr int kTokenStep = 1024;
constexpr int kPastedHeight = 84;

} // namespace

TextSource::TextSource(const Words& words, NamedText bundled, Dialogs& dialogs, QWidget* parent)
    : QWidget(parent), words_(words), bundled_(std::move(bundled)), dialogs_(dialogs) {
    makeControls();
    layOut();
    connect(source_, &QComboBox::activated, this, &TextSource::choose);
    connect(tokens_, &QSpinBox::valueChanged, this, &TextSource::changed);
    connect(pasted_, &QPlainTextEdit::textChanged, this, &TextSource::changed);
}

void TextSource::makeControls() {
    source_ = new QComboBox(this);
    source_->setObjectName(words_.prefix + QStringLiteral("Source"));
    source_->addItems({tr("Bundled text"), tr("A file …"), tr("Pasted text")});
    source_->setToolTip(words_.tip);
    tokens_ = new QSpinBox(this);
    tokens_->setObjectName(words_.prefix + QStringLiteral("Tokens"));
    tokens_->setRange(kFewestTokens, kMostTokens);
    tokens_->setSingleStep(kTokenStep);
    tokens_->setValue(kFirstTokens);
    tokens_->setGroupSeparatorShown(true);
    tokens_->setSuffix(tr(" tokens"));
    tokens_->setToolTip(tr("How many tokens of this text are read at most; every document has an "
                           "even share"));
    tokens_->setAccessibleName(tr("Tokens of the text at most"));
    info_ = new QLabel(this);
    info_->setObjectName(words_.prefix + QStringLiteral("Info"));
    info_->setTextFormat(Qt::PlainText);
    info_->setWordWrap(true);
    info_->setForegroundRole(QPalette::PlaceholderText);
    pasted_ = new QPlainTextEdit(this);
    pasted_->setObjectName(words_.prefix + QStringLiteral("Pasted"));
    pasted_->setAccessibleName(words_.pasted_name);
    pasted_->setPlaceholderText(tr("Paste a text here; lines of <|endoftext|> part documents."));
    pasted_->setToolTip(pasted_->placeholderText());
    pasted_->setTabChangesFocus(true);
    pasted_->setFixedHeight(kPastedHeight);
    pasted_->hide();
}

void TextSource::layOut() {
    auto* name = new QLabel(words_.name, this);
    name->setBuddy(source_);
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setVerticalSpacing(3);
    layout->addWidget(name, 0, 0);
    layout->addWidget(source_, 0, 1);
    layout->addWidget(tokens_, 0, 2);
    layout->addWidget(pasted_, 1, 0, 1, 3);
    layout->addWidget(info_, 2, 1, 1, 2);
    layout->setColumnMinimumWidth(0,
                                  fontMetrics().horizontalAdvance(QStringLiteral("Calibration ")));
    layout->setColumnStretch(1, 1);
}

void TextSource::choose(int kind) {
    if (kind == File && !chooseFile())
        return source_->setCurrentIndex(kind_);
    kind_ = kind;
    source_->setItemText(File, kind == File ? toQString(from_file_.name) : tr("A file …"));
    pasted_->setVisible(kind == Pasted);
    if (kind == Pasted)
        pasted_->setFocus();
    emit changed();
}

bool TextSource::chooseFile() {
    const QString path = dialogs_.textToOpen(this, exportFolder());
    if (path.isEmpty())
        return false;
    auto text = readTextFile(path.toStdString(), kLargestPassageText);
    if (!text) {
        emit failed(toQString(text.error().message));
        return false;
    }
    from_file_ = {QFileInfo(path).fileName().toStdString(), *std::move(text)};
    file_ = path;
    return true;
}

NamedText TextSource::text() const {
    if (kind_ == File)
        return from_file_;
    if (kind_ == Pasted)
        return {words_.pasted_name.toStdString(), pasted_->toPlainText().toStdString()};
    return bundled_;
}

std::size_t TextSource::tokens() const {
    return static_cast<std::size_t>(tokens_->value());
}

QString TextSource::file() const {
    return kind_ == File ? file_ : QString();
}

bool TextSource::isPasted() const {
    return kind_ == Pasted;
}

void TextSource::showInfo(const QString& info) {
    info_->setText(info);
}

} // namespace headscope::ui

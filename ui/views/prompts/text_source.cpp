#include "ui/views/prompts/text_source.h"

#include "core/datasets/bundled.h"
#include "core/io/atomic_file.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/pages/export_place.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QPlainTextEdit>
#include <QSpinBox>

#include <utility>

namespace headscope::ui {

namespace {

constexpr int kLinesOfField = 5;

} // namespace

TextChoice::TextChoice(const Words& words, std::size_t most_bytes, Dialogs& dialogs,
                       QWidget* parent)
    : QObject(parent), words_(words), most_bytes_(most_bytes), dialogs_(dialogs) {
    box_ = new QComboBox(parent);
    box_->setObjectName(words_.prefix + QStringLiteral("Source"));
    box_->addItems(words_.bundled + QStringList{tr("A file …"), words_.pasted});
    box_->setToolTip(asTip(words_.tip));
    pasted_ = new QPlainTextEdit(parent);
    pasted_->setObjectName(words_.prefix + QStringLiteral("Pasted"));
    pasted_->setAccessibleName(words_.pasted_name);
    pasted_->setPlaceholderText(words_.placeholder);
    pasted_->setToolTip(asTip(words_.placeholder));
    pasted_->setTabChangesFocus(true);
    pasted_->setFixedHeight(kLinesOfField * pasted_->fontMetrics().lineSpacing() + 12);
    pasted_->hide();
    connect(box_, &QComboBox::activated, this, &TextChoice::choose);
    connect(pasted_, &QPlainTextEdit::textChanged, this, &TextChoice::changed);
}

void TextChoice::choose(int kind) {
    if (kind == fileKind() && !chooseFile())
        return box_->setCurrentIndex(kind_);
    kind_ = kind;
    box_->setItemText(fileKind(), file().isEmpty() ? tr("A file …") : toQString(name()));
    pasted_->setVisible(isPasted());
    if (isPasted())
        pasted_->setFocus();
    emit changed();
}

bool TextChoice::chooseFile() {
    const QString path = dialogs_.textToOpen(box_, exportFolder());
    if (path.isEmpty())
        return false;
    auto text = readTextFile(path.toStdString(), most_bytes_);
    if (!text) {
        emit failed(toQString(text.error().message));
        return false;
    }
    file_ = path;
    text_of_file_ = *std::move(text);
    return true;
}

std::optional<std::size_t> TextChoice::bundled() const {
    return kind_ < fileKind() ? std::optional(static_cast<std::size_t>(kind_)) : std::nullopt;
}

QString TextChoice::file() const {
    return kind_ == fileKind() ? file_ : QString();
}

std::string TextChoice::name() const {
    return (isPasted() ? words_.pasted_name : QFileInfo(file_).fileName()).toStdString();
}

std::string TextChoice::text() const {
    return isPasted() ? pasted_->toPlainText().toStdString() : text_of_file_;
}

namespace {

constexpr int kFewestTokens = 64;
constexpr int kMostTokens = 10'000'000;
constexpr int kFirstTokens = 4096;
constexpr int kTokenStep = 1024;

} // namespace

TextSource::TextSource(const Words& words, NamedText bundled, Dialogs& dialogs, QWidget* parent)
    : QWidget(parent), bundled_(std::move(bundled)) {
    makeControls(words, dialogs);
    layOut(words.name);
    connect(choice_, &TextChoice::changed, this, &TextSource::changed);
    connect(choice_, &TextChoice::failed, this, &TextSource::failed);
    connect(tokens_, &QSpinBox::valueChanged, this, &TextSource::changed);
}

void TextSource::makeControls(const Words& words, Dialogs& dialogs) {
    choice_ = new TextChoice(
        {.prefix = words.prefix,
         .bundled = {tr("Bundled text")},
         .pasted = tr("Pasted text"),
         .tip = words.tip,
         .pasted_name = words.pasted_name,
         .placeholder = tr("Paste a text here; lines of <|endoftext|> part documents.")},
        kLargestText, dialogs, this);
    tokens_ = new QSpinBox(this);
    tokens_->setObjectName(words.prefix + QStringLiteral("Tokens"));
    tokens_->setRange(kFewestTokens, kMostTokens);
    tokens_->setSingleStep(kTokenStep);
    tokens_->setValue(kFirstTokens);
    tokens_->setGroupSeparatorShown(true);
    tokens_->setSuffix(tr(" tokens"));
    tokens_->setToolTip(tr("How many tokens of this text are read at most; every document has an "
                           "even share"));
    tokens_->setAccessibleName(tr("Tokens of the text at most"));
    info_ = new TextLabel(this);
    info_->setObjectName(words.prefix + QStringLiteral("Info"));
    info_->setWordWrap(true);
    info_->setForegroundRole(QPalette::PlaceholderText);
    info_->hide();
}

void TextSource::layOut(const QString& name) {
    auto* label = new TextLabel(name, this);
    label->setBuddy(choice_->box());
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setVerticalSpacing(3);
    layout->addWidget(label, 0, 0);
    layout->addWidget(choice_->box(), 0, 1);
    layout->addWidget(tokens_, 0, 2);
    layout->addWidget(choice_->pastedField(), 1, 0, 1, 3);
    layout->addWidget(info_, 2, 1, 1, 2);
    layout->setColumnStretch(1, 1);
}

NamedText TextSource::text() const {
    return choice_->bundled() ? bundled_ : NamedText{choice_->name(), choice_->text()};
}

std::size_t TextSource::tokens() const {
    return static_cast<std::size_t>(tokens_->value());
}

void TextSource::setTokens(std::size_t tokens) {
    tokens_->setValue(static_cast<int>(tokens));
}

void TextSource::setNameWidth(int width) {
    qobject_cast<QGridLayout*>(layout())->setColumnMinimumWidth(0, width);
}

QString TextSource::file() const {
    return choice_->file();
}

bool TextSource::isPasted() const {
    return choice_->isPasted();
}

void TextSource::showInfo(const QString& info) {
    info_->setText(info);
    info_->show();
}

} // namespace headscope::ui

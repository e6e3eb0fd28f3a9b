#include "ui/views/prompts/text_choice.h"

#include "core/io/atomic_file.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/export/export_plan.h"

#include <QComboBox>
#include <QFileInfo>
#include <QPlainTextEdit>

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
    box_->setToolTip(words_.tip);
    pasted_ = new QPlainTextEdit(parent);
    pasted_->setObjectName(words_.prefix + QStringLiteral("Pasted"));
    pasted_->setAccessibleName(words_.pasted_name);
    pasted_->setPlaceholderText(words_.placeholder);
    pasted_->setToolTip(words_.placeholder);
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

} // namespace headscope::ui

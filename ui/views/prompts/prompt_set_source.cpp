#include "ui/views/prompts/prompt_set_source.h"

#include "core/datasets/bundled.h"
#include "core/io/atomic_file.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/export/export_plan.h"

#include <QComboBox>
#include <QFileInfo>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace headscope::ui {
namespace {

constexpr int kPastedLines = 5;

std::string bundledLines() {
    std::string lines;
    for (const Sentence& sentence : bundledSentences())
        lines += sentence.text + '\n';
    return lines;
}

} // namespace

PromptSetSource::PromptSetSource(Dialogs& dialogs, QWidget* parent)
    : QWidget(parent), dialogs_(dialogs) {
    box_ = new QComboBox(this);
    box_->setObjectName(QStringLiteral("promptSetSource"));
    box_->setAccessibleName(tr("Where the prompts come from"));
    box_->addItems({tr("Bundled sentences"), tr("Indirect objects, made for this model"),
                    tr("A file …"), tr("Pasted lines")});
    box_->setToolTip(tr("A file or pasted lines hold one prompt per line; a line of JSON holds it "
                        "under “prompt” or “text”"));
    pasted_ = new QPlainTextEdit(this);
    pasted_->setObjectName(QStringLiteral("promptSetPasted"));
    pasted_->setAccessibleName(tr("Prompts, one per line"));
    pasted_->setPlaceholderText(tr("Paste prompts here, one per line."));
    pasted_->setTabChangesFocus(true);
    pasted_->setFixedHeight(kPastedLines * fontMetrics().lineSpacing() + 12);
    pasted_->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(box_, 0, Qt::AlignLeft);
    layout->addWidget(pasted_);
    connect(box_, &QComboBox::activated, this, &PromptSetSource::choose);
    connect(pasted_, &QPlainTextEdit::textChanged, this, &PromptSetSource::changed);
}

void PromptSetSource::choose(int kind) {
    if (kind == File && !chooseFile())
        return box_->setCurrentIndex(kind_);
    kind_ = kind;
    box_->setItemText(File, kind == File ? toQString(from_file_.name) : tr("A file …"));
    pasted_->setVisible(kind == Pasted);
    if (kind == Pasted)
        pasted_->setFocus();
    emit changed();
}

bool PromptSetSource::chooseFile() {
    const QString path = dialogs_.textToOpen(this, exportFolder());
    if (path.isEmpty())
        return false;
    auto text = readTextFile(path.toStdString(), kLargestPromptSetBytes);
    if (!text) {
        emit failed(toQString(text.error().message));
        return false;
    }
    from_file_ = {QFileInfo(path).fileName().toStdString(), *std::move(text)};
    return true;
}

PromptSetText PromptSetSource::text() const {
    switch (kind_) {
    case Sentences:
        return {"the bundled sentences", bundledLines()};
    case IndirectObjects:
        return {"the indirect objects", std::nullopt};
    case File:
        return from_file_;
    default:
        return {"the pasted lines", pasted_->toPlainText().toStdString()};
    }
}

} // namespace headscope::ui

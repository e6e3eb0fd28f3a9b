#include "ui/views/prompts/prompt_set_source.h"

#include "core/datasets/bundled.h"
#include "core/interventions/prompt_set.h"
#include "ui/views/prompts/text_choice.h"

#include <QComboBox>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include <optional>
#include <string>

namespace headscope::ui {
namespace {

std::string bundledLines() {
    std::string lines;
    for (const Sentence& sentence : bundledSentences())
        lines += sentence.text + '\n';
    return lines;
}

} // namespace

PromptSetSource::PromptSetSource(Dialogs& dialogs, QWidget* parent) : QWidget(parent) {
    choice_ = new TextChoice(
        {.prefix = QStringLiteral("promptSet"),
         .bundled = {tr("Bundled sentences"), tr("Indirect objects, made for this model")},
         .pasted = tr("Pasted lines"),
         .tip = tr("A file or pasted lines hold one prompt per line; a line of JSON holds it under "
                   "“prompt” or “text”"),
         .pasted_name = tr("the pasted lines"),
         .placeholder = tr("Paste prompts here, one per line.")},
        kLargestPromptSetBytes, dialogs, this);
    choice_->box()->setAccessibleName(tr("Where the prompts come from"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(choice_->box(), 0, Qt::AlignLeft);
    layout->addWidget(choice_->pastedField());
    connect(choice_, &TextChoice::failed, this, &PromptSetSource::failed);
}

QComboBox* PromptSetSource::box() const {
    return choice_->box();
}

PromptSetText PromptSetSource::text() const {
    const std::optional<std::size_t> bundled = choice_->bundled();
    if (!bundled)
        return {choice_->name(), choice_->text(), choice_->file()};
    if (*bundled == 0)
        return {"the bundled sentences", bundledLines()};
    return {"the indirect objects", std::nullopt};
}

} // namespace headscope::ui

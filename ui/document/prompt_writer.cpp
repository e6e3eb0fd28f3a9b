#include "ui/document/prompt_writer.h"

#include "core/base/utf8.h"
#include "core/export/run_calls.h"
#include "core/model/prompt.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

/// As it is typed.
QString typed(const Model& model, const std::vector<GeneratedToken>& tokens) {
    std::string text;
    for (const GeneratedToken& token : tokens)
        text += typedPiece(model, token.id);
    return toQString(text);
}

} // namespace

PromptWriter::PromptWriter(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
    connect(&document_, &Document::promptChanged, this, &PromptWriter::followText);
    connect(&document_, &Document::promptChanged, this, &PromptWriter::stateChanged);
    connect(&document_, &Document::modelChanged, &worker_, &JobRunner::cancel);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this,
            &PromptWriter::stateChanged);
    connect(&worker_, &JobRunner::busyChanged, this, &PromptWriter::stateChanged);
}

bool PromptWriter::hasRun() const {
    const auto result = document_.promptRunner().result();
    const auto model = document_.model();
    if (!result || result->full->model != model)
        return false;
    if (model->tokenizer)
        return toQString(result->prompt.text) == document_.promptText();
    const auto typed_ids =
        promptFromInput(*model, document_.promptText().toStdString(), document_.bosMode());
    return typed_ids && typed_ids->ids == result->prompt.ids;
}

Repetition PromptWriter::repetition() const {
    if (!written())
        return notRepeated(tr("The model has not written anything here."));
    return written_by_;
}

bool PromptWriter::canWrite() const {
    return document_.model() && document_.model()->spec.predictsNextToken() && hasRun();
}

void PromptWriter::write() {
    if (!canWrite())
        return;
    GenerateOptions options{.tokens = settings_.tokens,
                            .temperature = settings_.temperature,
                            .seed = seed_,
                            .mask = document_.ablation().mask()};
    seed_ += settings_.temperature > 0.0 ? 1 : 0;
    const auto result = document_.promptRunner().result();
    const TokenIds ids = result->prompt.ids;
    written_by_ = repetitionOf(generateCall(loadedModel(document_), result->prompt, options));
    worker_.start(
        [model = document_.model(), ids,
         options = std::move(options)](const Progress& progress, const std::stop_token& stop) {
            return generate(model, ids, options, progress, stop);
        },
        [this, ids](const Result<std::vector<GeneratedToken>>& tokens) {
            if (tokens)
                return append(ids, *tokens);
            if (tokens.error().code != ErrorCode::Cancelled)
                emit said(toQString(tokens.error().message));
        });
}

void PromptWriter::append(const TokenIds& before, const std::vector<GeneratedToken>& tokens) {
    if (tokens.empty())
        return emit said(tr("The text ends here: what the model gives next is no text."));
    const Model& model = *document_.model();
    document_.history().add(tr("The model wrote on"), written_by_);
    const QString own = own_ + written_ == document_.promptText() ? own_ : document_.promptText();
    const QString text = document_.promptText() + typed(model, tokens);
    own_ = own;
    written_ = text.mid(own.size());
    document_.setPromptText(text);
    TokenIds expected = before;
    for (const GeneratedToken& token : tokens)
        expected.push_back(token.id);
    const auto read = promptFromInput(model, text.toStdString(), document_.bosMode());
    if (!read || read->ids != expected)
        emit said(tr("As text, what the model wrote is cut into other tokens than it gave."));
}

void PromptWriter::takeLastTokenBack() {
    if (!hasRun())
        return;
    const Prompt& prompt = document_.promptRunner().result()->prompt;
    if (!document_.model()->tokenizer) {
        Prompt shorter = prompt;
        shorter.ids.pop_back();
        if (shorter.ids.size() > (prompt.has_bos ? 1 : 0))
            document_.setPromptText(toQString(promptText(shorter)));
        return;
    }
    const auto last = std::find_if(prompt.offsets.rbegin(), prompt.offsets.rend(),
                                   [](const TextRange& range) { return range.begin < range.end; });
    if (last != prompt.offsets.rend())
        document_.setPromptText(toQString(firstCharacters(prompt.text, last->begin)));
}

void PromptWriter::followText() {
    const QString& text = document_.promptText();
    worker_.cancel();
    const bool own_stays = text.startsWith(own_) && text.size() > own_.size();
    if (own_stays && written_.startsWith(text.mid(own_.size()))) {
        written_ = text.mid(own_.size());
    } else if (!own_stays || !text.startsWith(own_ + written_)) {
        own_.clear();
        written_.clear();
    }
}

std::optional<TextRange> PromptWriter::written() const {
    if (written_.isEmpty())
        return std::nullopt;
    const std::size_t begin = characterCount(own_.toStdString());
    return TextRange{begin, begin + characterCount(written_.toStdString())};
}

} // namespace headscope::ui

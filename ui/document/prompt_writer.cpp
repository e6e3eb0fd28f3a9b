#include "ui/document/prompt_writer.h"

#include "core/model/prompt.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

std::size_t codePoints(const QString& text) {
    return static_cast<std::size_t>(text.toUcs4().size());
}

QString firstCodePoints(const QString& text, std::size_t count) {
    const QList<uint> all = text.toUcs4();
    QString first;
    for (qsizetype i = 0; i < std::min(all.size(), static_cast<qsizetype>(count)); ++i)
        first += QChar::fromUcs4(all[i]);
    return first;
}

/// As it is typed: text, or ids for a model without a tokenizer.
QString typed(const Model& model, const std::vector<GeneratedToken>& tokens) {
    std::string text;
    for (const GeneratedToken& token : tokens)
        text += model.tokenizer ? model.tokenizer->piece(token.id) : " " + std::to_string(token.id);
    return toQString(text);
}

} // namespace

PromptWriter::PromptWriter(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
    connect(&document_, &Document::promptChanged, this, &PromptWriter::followText);
    connect(&document_, &Document::modelChanged, this, [this] { worker_.cancel(); });
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

bool PromptWriter::canWrite() const {
    return document_.model() && document_.model()->spec.predictsNextToken() && hasRun();
}

void PromptWriter::write() {
    if (!canWrite())
        return;
    GenerateOptions options{.tokens = settings_.tokens,
                            .temperature = settings_.temperature,
                            .seed = seed_,
                            .mask = document_.mask()};
    seed_ += settings_.temperature > 0.0 ? 1 : 0;
    worker_.start(
        [model = document_.model(), ids = document_.promptRunner().result()->prompt.ids,
         options = std::move(options)](const Progress& progress, const std::stop_token& stop) {
            return generate(model, ids, options, progress, stop);
        },
        [this, ids = document_.promptRunner().result()->prompt.ids](
            const Result<std::vector<GeneratedToken>>& tokens) {
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
        document_.setPromptText(firstCodePoints(document_.promptText(), last->begin));
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
    const std::size_t begin = codePoints(own_);
    return TextRange{begin, begin + codePoints(written_)};
}

} // namespace headscope::ui

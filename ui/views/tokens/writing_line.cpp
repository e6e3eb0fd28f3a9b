#include "ui/views/tokens/writing_line.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/prompt/prompt_text.h"

#include <QStringList>

#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

QString changesText(const Model& model, const std::vector<WrittenToken>& tokens) {
    QStringList parts;
    for (const WrittenToken& token : tokens)
        parts << QStringLiteral("%1 %2%3").arg(
            shownOutput(model, token.id),
            token.change > 0.0f ? QStringLiteral("+") : QStringLiteral("−"),
            QString::number(std::abs(static_cast<double>(token.change)), 'f', 1));
    return parts.join(QStringLiteral("  "));
}

} // namespace

QString writesText(const Model& model, LayerHead head, const HeadWrites& writes) {
    if (writes.raised.empty())
        return WritingLine::tr("%1 raises no token here.").arg(headName(head));
    return WritingLine::tr("%1 raises  %2   lowers  %3")
        .arg(headName(head), changesText(model, writes.raised), changesText(model, writes.lowered));
}

WritingLine::WritingLine(QWidget* parent) : ElidedLabel(parent) {
    setObjectName(QStringLiteral("writingLine"));
}

void WritingLine::clearLine() {
    stopUnless(nullptr, head_);
    clear();
}

void WritingLine::stopUnless(const std::shared_ptr<const RunResult>& result, LayerHead head) {
    if (result == result_ && head == head_)
        return;
    result_.reset();
    writing_.reset();
    reader_.cancel();
    asker_.cancel();
}

void WritingLine::readAt(const std::shared_ptr<const RunResult>& result, LayerHead head,
                         std::size_t position) {
    const bool is_other = result != result_ || head != head_;
    result_ = result;
    head_ = head;
    position_ = position;
    if (is_other)
        read();
    else if (writing_)
        ask();
}

void WritingLine::read() {
    writing_.reset();
    asker_.cancel();
    setText(tr("Reading what %1 writes …").arg(headName(head_)));
    setToolTip(QString());
    reader_.start(
        [result = result_, head = head_](const Progress&, const std::stop_token& stop) {
            return HeadWriting::read(result->full->model,
                                     {result->prompt.ids, {head}, result->mask}, stop);
        },
        [this](const Result<HeadWriting>& read) {
            if (read) {
                writing_ = std::make_shared<const HeadWriting>(*read);
                return ask();
            }
            setText(tr("What %1 writes cannot be read.").arg(headName(head_)));
            setToolTip(asTip(toQString(read.error().message)));
        });
}

void WritingLine::ask() {
    asker_.start(
        [writing = writing_, position = position_](const Progress&, const std::stop_token&) {
            return writing->strongest(0, position, kMostWritten);
        },
        [this](const HeadWrites& writes) { take(writes); });
}

void WritingLine::take(const HeadWrites& writes) {
    setText(writesText(*result_->full->model, head_, writes));
    setToolTip(asTip(
        tr("What the head adds directly to the logits of the next token at this position: its "
           "output through W_O, the norms at the scale of this run, and the unembedding, less the "
           "mean over the vocabulary. Tokens with the largest changes.")));
}

} // namespace headscope::ui

#include "ui/views/prompt/prompt_strip.h"

#include "ui/markup/markup.h"
#include "ui/views/prompt/prompt_text.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/labels.h"

#include <QLineEdit>

#include <algorithm>
#include <utility>

namespace headscope::ui {

void PromptStrip::showRun(std::shared_ptr<const RunResult> run, const RunResult* other,
                          const TokenAlignment& counterpart) {
    run_ = std::move(run);
    setChips(!run_   ? QVector<TokenChip>()
             : other ? comparedChips(*run_, *other, counterpart)
                     : tokenChips(*run_));
    setChanges(run_ ? lossChangeBars(*run_) : std::vector<double>());
}

void PromptStrip::showLockedToken(LayerHead head, std::optional<std::size_t> token) {
    const bool is_there = run_ && token && *token < run_->prompt.ids.size();
    const Tensor weights =
        is_there ? run_->masked->pattern(head, {*token, *token + 1}, {0, run_->prompt.ids.size()})
                 : Tensor();
    setWeights(weights.values());
    setCurrent(is_there ? std::optional(static_cast<qsizetype>(*token)) : std::nullopt);
}

void PromptStrip::showWritten(std::optional<TextRange> written) {
    if (!run_ || !written)
        return setUnderlined(0, 0);
    const std::vector<TextRange>& offsets = run_->prompt.offsets;
    const auto before = [&](std::size_t end) {
        return std::ranges::count_if(offsets, [end](const TextRange& range) {
            return range.begin < end; // tokens without text come first
        });
    };
    setUnderlined(before(written->begin), before(written->end));
}

void PromptStrip::showTokenAtCursor(const QLineEdit& edit, const QString& prompt) {
    if (!edit.hasFocus() || !run_ || prompt.toStdString() != run_->prompt.text)
        return;
    const auto before =
        static_cast<std::size_t>(edit.text().left(edit.cursorPosition()).toUcs4().size());
    const std::vector<TextRange>& offsets = run_->prompt.offsets; // in code points
    for (std::size_t token = offsets.size(); token-- > 0;)
        if (offsets[token].begin < offsets[token].end && offsets[token].begin < before)
            return scrollIntoSight(static_cast<qsizetype>(token));
    if (!offsets.empty())
        scrollIntoSight(0);
}

void showOutcome(MarkupLabel& label, const RunResult* result, const QString& error) {
    const QPalette palette = label.palette();
    const QColor before =
        blend(palette.color(QPalette::Window), palette.color(QPalette::WindowText), 0.65);
    const Markup outcome = !error.isEmpty() ? Markup(error)
                           : result         ? predictionText(*result, before)
                                            : Markup();
    label.setMarkup(outcome);
    label.setAccessibleName(outcome.plainText());
}

} // namespace headscope::ui

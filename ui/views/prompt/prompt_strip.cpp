#include "ui/views/prompt/prompt_strip.h"

#include "ui/views/prompt/prompt_text.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/token_strip.h"

#include <QLabel>
#include <QLineEdit>
#include <QTextDocumentFragment>

namespace headscope::ui {

void showRun(TokenStrip& strip, const RunResult* result, const RunResult* other,
             const TokenAlignment& counterpart) {
    strip.setChips(!result ? QVector<TokenChip>()
                   : other ? comparedChips(*result, *other, counterpart)
                           : tokenChips(*result));
    strip.setChanges(result ? lossChangeBars(*result) : std::vector<double>());
}

void showLockedToken(TokenStrip& strip, const RunResult* result, LayerHead head,
                     std::optional<std::size_t> token) {
    const bool is_there = result && token && *token < result->prompt.ids.size();
    const Tensor weights = is_there ? result->masked->pattern(head, {*token, *token + 1},
                                                              {0, result->prompt.ids.size()})
                                    : Tensor();
    strip.setWeights(weights.values());
    strip.setCurrent(is_there ? std::optional(static_cast<qsizetype>(*token)) : std::nullopt);
}

void showWritten(TokenStrip& strip, const RunResult* result, std::optional<TextRange> written) {
    if (!result || !written)
        return strip.setUnderlined(0, 0);
    const std::vector<TextRange>& offsets = result->prompt.offsets;
    const auto before = [&](std::size_t end) {
        return std::ranges::count_if(offsets, [end](const TextRange& range) {
            return range.begin < end; // tokens that no text is of stand in front
        });
    };
    strip.setUnderlined(before(written->begin), before(written->end));
}

void showTokenAtCursor(TokenStrip& strip, const QLineEdit& edit, const RunResult* result) {
    if (!edit.hasFocus() || !result || edit.text().toStdString() != result->prompt.text)
        return;
    const auto before =
        static_cast<std::size_t>(edit.text().left(edit.cursorPosition()).toUcs4().size());
    const std::vector<TextRange>& offsets = result->prompt.offsets; // in code points
    for (std::size_t token = offsets.size(); token-- > 0;)
        if (offsets[token].begin < offsets[token].end && offsets[token].begin < before)
            return strip.scrollIntoSight(static_cast<qsizetype>(token));
    if (!offsets.empty())
        strip.scrollIntoSight(0);
}

void showOutcome(QLabel& label, const RunResult* result, const QString& error) {
    label.setTextFormat(error.isEmpty() ? Qt::RichText : Qt::PlainText);
    if (!error.isEmpty()) {
        label.setText(error);
        return label.setAccessibleName(error);
    }
    const QPalette palette = label.palette();
    const QColor before =
        blend(palette.color(QPalette::Window), palette.color(QPalette::WindowText), 0.65);
    label.setText(result ? predictionText(*result, before) : QString());
    label.setAccessibleName(QTextDocumentFragment::fromHtml(label.text()).toPlainText());
}

} // namespace headscope::ui

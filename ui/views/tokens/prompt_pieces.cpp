#include "ui/views/tokens/prompt_pieces.h"

#include "core/model/prompt.h"
#include "ui/document/token_groups.h"
#include "ui/tables/head_text.h"

namespace headscope::ui {
namespace {

/// With spaces and line ends as they are.
QString safeText(const QString& text) {
    QString safe;
    for (const uint letter : text.toUcs4()) {
        const auto code = static_cast<char32_t>(letter);
        const QString character = QString::fromUcs4(&code, 1);
        const bool is_space = code == U' ' || code == U'\n' || code == U'\t';
        safe += is_space ? character : toQString(displayPiece(character.toStdString()));
    }
    return safe;
}

} // namespace

QVector<TextPiece> promptPieces(const RunResult& result) {
    const PromptLetters letters(result.prompt);
    QVector<TextPiece> pieces;
    std::size_t written = 0; // code points of the text
    const auto addBetween = [&](std::size_t end) {
        if (written < end)
            pieces.append({safeText(letters({written, end})), 0, 0, false});
    };
    for (const TokenGroup& group : tokenGroups(result.prompt)) {
        const QString& label = result.shown_pieces[static_cast<qsizetype>(group.first)];
        if (group.isOfText()) {
            addBetween(group.range.begin);
            pieces.append({safeText(letters(group.range)), group.first, group.tokens, false});
            written = group.range.end;
        } else if (result.prompt.text.empty()) {
            if (!pieces.isEmpty())
                pieces.append({QStringLiteral(" "), 0, 0, false});
            pieces.append({label, group.first, 1, false});
        } else {
            pieces.append({label, group.first, 1, true});
        }
    }
    addBetween(letters.size());
    return pieces;
}

} // namespace headscope::ui

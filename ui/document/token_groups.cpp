#include "ui/document/token_groups.h"

#include "ui/tables/head_text.h"

#include <algorithm>

namespace headscope::ui {
namespace {

/// "₁₂"
QString subscript(std::size_t number) {
    constexpr char16_t kZero = u'₀';
    QString text = QString::number(number);
    for (QChar& digit : text)
        digit = QChar(kZero + digit.digitValue());
    return text;
}

/// Whether a piece holds bytes that Tokenizer::piece() had to escape.
bool hasBytes(const std::string& piece) {
    return piece.find("\\x") != std::string::npos;
}

} // namespace

std::vector<TokenGroup> tokenGroups(const Prompt& prompt) {
    std::vector<TokenGroup> groups;
    for (std::size_t token = 0; token < prompt.ids.size(); ++token) {
        const TextRange range = token < prompt.offsets.size() ? prompt.offsets[token] : TextRange();
        const bool is_of_text = range.begin < range.end;
        if (is_of_text && !groups.empty() && groups.back().isOfText() &&
            range.begin < groups.back().range.end) {
            groups.back().tokens += 1;
            groups.back().range.end = std::max(groups.back().range.end, range.end);
        } else {
            groups.push_back({token, 1, is_of_text ? range : TextRange()});
        }
    }
    return groups;
}

PromptLetters::PromptLetters(const Prompt& prompt)
    : letters_(toQString(prompt.text).toStdU32String()) {}

QString PromptLetters::operator()(TextRange range) const {
    const std::size_t end = std::min(range.end, size());
    return range.begin < end ? QString::fromUcs4(letters_.data() + range.begin,
                                                 static_cast<qsizetype>(end - range.begin))
                             : QString();
}

QStringList shownPieces(const Prompt& prompt) {
    const PromptLetters letters(prompt);
    QStringList shown;
    shown.reserve(static_cast<qsizetype>(prompt.pieces.size()));
    for (const TokenGroup& group : tokenGroups(prompt))
        for (std::size_t part = 0; part < group.tokens; ++part) {
            const std::string& piece = prompt.pieces[group.first + part];
            if (group.tokens > 1 && hasBytes(piece))
                shown << toQString(displayPiece(letters(group.range).toStdString())) +
                             subscript(part + 1);
            else
                shown << toQString(displayPiece(piece));
        }
    return shown;
}

} // namespace headscope::ui

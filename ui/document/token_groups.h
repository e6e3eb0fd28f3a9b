#pragma once

#include "core/model/prompt.h"

#include <QString>
#include <QStringList>

#include <cstddef>
#include <string>
#include <vector>

namespace headscope::ui {

/// Neighbouring tokens that share a character of the prompt, as byte-level tokenizers split it;
/// most tokens are alone.
struct TokenGroup {
    std::size_t first = 0;
    std::size_t tokens = 1;
    TextRange range; ///< code points of the prompt's text; empty for added tokens

    bool isOfText() const { return range.begin < range.end; }
};

/// All tokens of a prompt, in order.
std::vector<TokenGroup> tokenGroups(const Prompt& prompt);

/// The text of a prompt, which can be asked for ranges of code points.
class PromptLetters {
public:
    explicit PromptLetters(const Prompt& prompt);
    std::size_t size() const { return letters_.size(); }
    QString operator()(TextRange range) const;

private:
    std::u32string letters_;
};

/// How each token is shown on screen: displayPiece() of its text. Bytes that are no letter by
/// themselves show the letters they are part of and which part: "é₁", "é₂".
QStringList shownPieces(const Prompt& prompt);

} // namespace headscope::ui

#include "core/tokenizer/post_processors/post_processors.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

/// The characters with the property White_Space at both ends of a token, and 'Ġ'.
struct Spaces {
    std::size_t leading = 0;
    std::size_t trailing = 0;
};

Spaces spacesAround(std::string_view token) {
    Spaces spaces;
    bool leading = true;
    for (std::size_t i = 0; i < token.size(); i += utf8Length(token[i])) {
        const char32_t code_point = codePointAt(token, i);
        const bool space = code_point == U'Ġ' || isWhiteSpace(code_point);
        leading = leading && space;
        spaces.leading += leading ? 1 : 0;
        spaces.trailing = space ? spaces.trailing + 1 : 0;
    }
    return spaces;
}

} // namespace

void PostProcessorSequence::process(Encoding& encoding, bool add_special_tokens) const {
    for (const auto& step : steps_)
        step->process(encoding, add_special_tokens);
}

std::vector<PairPlace> PostProcessorSequence::pairTemplate() const {
    std::vector<PairPlace> found;
    for (const auto& step : steps_) {
        std::vector<PairPlace> of_step = step->pairTemplate();
        if (!found.empty() && !of_step.empty())
            return {};
        if (!of_step.empty())
            found = std::move(of_step);
    }
    return found;
}

void OffsetTrimming::process(Encoding& encoding, bool) const {
    if (!trim_)
        return;
    for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
        Spaces spaces = spacesAround(encoding.tokens[i]);
        TextRange& offset = encoding.offsets[i];
        const bool first = i == 0 || offset.begin == 0;
        if (first && add_prefix_space_ && spaces.leading == 1)
            spaces.leading = 0;
        else if (encoding.prefixed[i] && spaces.leading > 0)
            --spaces.leading; // is none of the offset
        offset.begin = std::min(offset.begin + spaces.leading, offset.end);
        if (offset.end >= spaces.trailing)
            offset.end = std::max(offset.end - spaces.trailing, offset.begin);
    }
}

void TemplateProcessing::process(Encoding& encoding, bool add_special_tokens) const {
    Encoding result;
    const auto append = [](auto& list, const auto& more) {
        list.insert(list.end(), more.begin(), more.end());
    };
    for (const Piece& piece : pieces_) {
        if (!piece.is_text && !add_special_tokens)
            continue;
        append(result.ids, piece.is_text ? encoding.ids : piece.ids);
        append(result.tokens, piece.is_text ? encoding.tokens : piece.tokens);
        if (piece.is_text) {
            append(result.offsets, encoding.offsets);
            append(result.prefixed, encoding.prefixed);
        } else {
            result.offsets.resize(result.ids.size());
            result.prefixed.resize(result.ids.size());
        }
    }
    encoding = std::move(result);
}

} // namespace headscope

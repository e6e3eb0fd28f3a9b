#include "core/tokenizer/normalizers/text_normalizers.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// The longest decomposition of one character (U+FDFA) has 18.
using Decomposition = std::array<utf8proc_int32_t, 32>;

int combiningClass(const Rewrite& step) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(step.code_point))->combining_class;
}

/// Characters in full decomposition, marks in canonical order. The first character of each
/// decomposition replaces the one that was decomposed, the others are new.
std::vector<Rewrite> decomposed(std::string_view text, bool compatibility) {
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                                                        (compatibility ? UTF8PROC_COMPAT : 0));
    std::vector<Rewrite> steps;
    steps.reserve(text.size());
    Decomposition parts;
    for (std::size_t byte = 0; byte < text.size(); byte += utf8Length(text[byte])) {
        const auto length = utf8proc_decompose_char(
            static_cast<utf8proc_int32_t>(codePointAt(text, byte)), parts.data(),
            static_cast<utf8proc_ssize_t>(parts.size()), options, nullptr);
        for (utf8proc_ssize_t part = 0; part < length; ++part)
            steps.push_back(
                {static_cast<char32_t>(parts[static_cast<std::size_t>(part)]), part == 0 ? 0 : 1});
    }
    for (auto begin = steps.begin(); begin != steps.end();) {
        const auto isMark = [](const Rewrite& step) { return combiningClass(step) != 0; };
        begin = std::find_if(begin, steps.end(), isMark);
        const auto end = std::find_if_not(begin, steps.end(), isMark);
        std::ranges::stable_sort(begin, end, {}, combiningClass);
        begin = end;
    }
    return steps;
}

/// The primary composite of two characters, if there is one.
std::optional<char32_t> composite(char32_t first, char32_t second) {
    if (second < 0x300) // the first character that ends a composite
        return std::nullopt;
    std::array pair{static_cast<utf8proc_int32_t>(first), static_cast<utf8proc_int32_t>(second)};
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (utf8proc_normalize_utf32(pair.data(), 2, options) != 1)
        return std::nullopt;
    return static_cast<char32_t>(pair[0]);
}

/// The canonical composition algorithm: a character joins the last starter unless one between
/// them has the same or a higher combining class.
std::vector<Rewrite> composed(const std::vector<Rewrite>& steps) {
    std::vector<Rewrite> result;
    result.reserve(steps.size());
    std::optional<std::size_t> starter;
    int class_between = -1; // of the last character after the starter; -1 when there is none
    for (const Rewrite& step : steps) {
        const int step_class = combiningClass(step);
        if (starter && class_between < step_class) {
            Rewrite& first = result[*starter];
            if (const auto whole = composite(first.code_point, step.code_point)) {
                first = {*whole, first.change + step.change - 1};
                continue;
            }
        }
        if (step_class == 0)
            starter = result.size();
        class_between = step_class == 0 ? -1 : step_class;
        result.push_back(step);
    }
    return result;
}

} // namespace

Result<AlignedText> UnicodeNormalizer::normalize(AlignedText text) const {
    using enum NormalizationForm;
    if (isAscii(text.text()))
        return text;
    auto steps = decomposed(text.text(), form_ == Nfkc || form_ == Nfkd);
    if (form_ == Nfc || form_ == Nfkc)
        steps = composed(steps);
    return text.rewritten(steps);
}

namespace {

/// Replacements can double a text again and again; honest ones stay far below this.
constexpr std::size_t kMostExtraBytes = 1'000'000;
constexpr std::size_t kMostBytesPerCharacter = 100;

/// Calls `write(result, code point, origin)` for every character.
template <class Write>
AlignedText mapCharacters(const AlignedText& text, Write write) {
    AlignedText result;
    result.reserve(text.size());
    for (std::size_t byte = 0; byte < text.size(); byte += utf8Length(text.text()[byte]))
        write(result, codePointAt(text.text(), byte), text.origin(byte));
    return result;
}

utf8proc_category_t category(char32_t code_point) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

bool isLineOrTab(char32_t code_point) {
    return code_point == U'\t' || code_point == U'\n' || code_point == U'\r';
}

bool isDropped(char32_t code_point) {
    if (isLineOrTab(code_point))
        return false;
    const auto kind = category(code_point);
    return code_point == U'\uFFFD' || kind == UTF8PROC_CATEGORY_CC ||
           kind == UTF8PROC_CATEGORY_CF || kind == UTF8PROC_CATEGORY_CO;
}

bool isIdeograph(char32_t code_point) {
    static constexpr std::array<std::pair<char32_t, char32_t>, 7> blocks{{{0x3400, 0x4DBF},
                                                                          {0x4E00, 0x9FFF},
                                                                          {0xF900, 0xFAFF},
                                                                          {0x20000, 0x2A6DF},
                                                                          {0x2A700, 0x2B81F},
                                                                          {0x2B920, 0x2CEAF},
                                                                          {0x2F800, 0x2FA1F}}};
    return std::ranges::any_of(blocks, [&](const auto& block) {
        return code_point >= block.first && code_point <= block.second;
    });
}

/// By the list of Hugging Face tokenizers.
bool isNmtControl(char32_t c) {
    return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F ||
           c == 0x8F || c == 0x9F;
}

/// Likewise; not all that Unicode calls white space.
bool isNmtSpace(char32_t c) {
    return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
           c == 0xFEFF || c == 0xFFFD;
}

AlignedText cleaned(const AlignedText& text) {
    return mapCharacters(text, [](AlignedText& result, char32_t code_point, TextRange origin) {
        if (!isDropped(code_point))
            result.append(isWhiteSpace(code_point) ? U' ' : code_point, origin);
    });
}

AlignedText withSpacedIdeographs(const AlignedText& text) {
    return mapCharacters(text, [](AlignedText& result, char32_t code_point, TextRange origin) {
        const bool spaced = isIdeograph(code_point);
        if (spaced)
            result.append(U' ', origin);
        result.append(code_point, origin);
        if (spaced)
            result.append(U' ', origin);
    });
}

/// In full decomposition, without the marks that take no space of their own.
Result<AlignedText> withoutAccents(AlignedText text) {
    auto decomposed = UnicodeNormalizer(NormalizationForm::Nfd).normalize(std::move(text));
    if (!decomposed)
        return decomposed;
    return mapCharacters(*decomposed,
                         [](AlignedText& result, char32_t code_point, TextRange origin) {
                             if (category(code_point) != UTF8PROC_CATEGORY_MN)
                                 result.append(code_point, origin);
                         });
}

} // namespace

Result<AlignedText> NormalizerSequence::normalize(AlignedText text) const {
    for (const auto& step : steps_) {
        auto next = step->normalize(std::move(text));
        if (!next)
            return next.error();
        text = *std::move(next);
    }
    return text;
}

Result<AlignedText> Lowercase::normalize(AlignedText text) const {
    return mapCharacters(text, [](AlignedText& result, char32_t code_point, TextRange origin) {
        const auto lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point));
        result.append(static_cast<char32_t>(lower), origin);
        // The one letter whose lower case is two characters, by SpecialCasing.txt.
        if (code_point == U'\u0130')
            result.append(U'\u0307', origin);
    });
}

Result<AlignedText> StripAccents::normalize(AlignedText text) const {
    return mapCharacters(text, [](AlignedText& result, char32_t code_point, TextRange origin) {
        const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
        if (category < UTF8PROC_CATEGORY_MN || category > UTF8PROC_CATEGORY_ME)
            result.append(code_point, origin);
    });
}

Result<AlignedText> NmtNormalizer::normalize(AlignedText text) const {
    return mapCharacters(text, [](AlignedText& result, char32_t code_point, TextRange origin) {
        if (!isNmtControl(code_point))
            result.append(isNmtSpace(code_point) ? U' ' : code_point, origin);
    });
}

Result<AlignedText> StripNormalizer::normalize(AlignedText text) const {
    const std::size_t begin = left_ ? leadingSpace(text.text()) : 0;
    const std::string_view rest = text.text().substr(begin);
    return text.slice({begin, text.size() - (right_ ? trailingSpace(rest) : 0)});
}

Result<AlignedText> BertNormalizer::normalize(AlignedText text) const {
    if (options_.clean_text)
        text = cleaned(text);
    if (options_.handle_chinese_chars)
        text = withSpacedIdeographs(text);
    if (options_.strip_accents) {
        auto stripped = withoutAccents(std::move(text));
        if (!stripped)
            return stripped;
        text = *std::move(stripped);
    }
    return options_.lowercase ? Lowercase().normalize(std::move(text)) : std::move(text);
}

Result<AlignedText> PrependNormalizer::normalize(AlignedText text) const {
    return text.size() == 0 ? std::move(text) : text.prepended(prefix_);
}

Result<AlignedText> ReplaceNormalizer::normalize(AlignedText text) const {
    if (text.size() == 0)
        return text;
    const auto matches = pattern_.findAll(text.text());
    if (!matches)
        return matches.error();
    const std::size_t most = kMostExtraBytes + kMostBytesPerCharacter * text.originalLength();
    AlignedText result;
    std::size_t begin = 0;
    for (const ByteRange match : *matches) {
        result.append(text, {begin, match.begin});
        result.append(content_, text.originBefore(match.end));
        begin = match.end;
        if (result.size() > most)
            return Error{ErrorCode::TooLarge, "The tokenizer's normalizer makes " + byteText(most) +
                                                  " and more of " +
                                                  std::to_string(text.originalLength()) +
                                                  " characters; use another tokenizer."};
    }
    result.append(text, {begin, text.size()});
    return result;
}

} // namespace headscope

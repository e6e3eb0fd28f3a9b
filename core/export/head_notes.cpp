#include "core/export/head_notes.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace headscope {

namespace {

constexpr std::string_view kBetweenTexts = " | ";

HeadNote noteIn(const HeadNotes& notes, LayerHead head) {
    const auto found = notes.find(head);
    return found == notes.end() ? HeadNote() : found->second;
}

/// The texts that a joined note is made of.
std::vector<std::string_view> textsOf(std::string_view text) {
    std::vector<std::string_view> texts;
    while (!text.empty()) {
        const std::size_t end = text.find(kBetweenTexts);
        texts.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size()
                                                         : end + kBetweenTexts.size());
    }
    return texts;
}

/// The texts of `theirs` that are not in `mine`. A note may have hundreds of thousands.
std::string textBeside(std::string_view mine, std::string_view theirs) {
    if (mine.empty())
        return std::string(theirs);
    const std::vector<std::string_view> texts = textsOf(mine);
    const std::unordered_set<std::string_view> said(texts.begin(), texts.end());
    std::string more;
    for (const std::string_view text : textsOf(theirs))
        if (!said.contains(text)) {
            more += more.empty() ? "" : kBetweenTexts;
            more += text;
        }
    return more;
}

} // namespace

HeadNote noteBeside(const HeadNote& mine, const HeadNote& theirs) {
    return {mine.text == theirs.text ? "" : textBeside(mine.text, theirs.text),
            theirs.is_bookmarked && !mine.is_bookmarked};
}

namespace {

HeadNote joinedNote(const HeadNote& mine, const HeadNote& theirs) {
    const HeadNote more = noteBeside(mine, theirs);
    const bool says_more = !mine.text.empty() && !more.text.empty();
    return {mine.text + std::string(says_more ? kBetweenTexts : "") + more.text,
            mine.is_bookmarked || theirs.is_bookmarked};
}

} // namespace

HeadNotes joinedNotes(const HeadNotes& mine, const HeadNotes& theirs) {
    HeadNotes joined = mine;
    for (const auto& [head, note] : theirs)
        joined[head] = joinedNote(noteIn(mine, head), note);
    return joined;
}

HeadNotes notesBeside(const HeadNotes& mine, const HeadNotes& theirs) {
    HeadNotes beside;
    for (const auto& [head, note] : theirs)
        if (HeadNote more = noteBeside(noteIn(mine, head), note); !more.empty())
            beside[head] = std::move(more);
    return beside;
}

HeadNotes mergedNotes(const HeadNotes& base, const HeadNotes& mine, const HeadNotes& theirs) {
    HeadNotes merged;
    for (const HeadNotes* const notes : std::array{&mine, &theirs})
        for (const auto& [head, ignored] : *notes) {
            const HeadNote before = noteIn(base, head);
            const HeadNote here = noteIn(mine, head);
            const HeadNote there = noteIn(theirs, head);
            const HeadNote note = here == before    ? there
                                  : there == before ? here
                                                    : joinedNote(here, there);
            if (!note.empty())
                merged[head] = note;
        }
    return merged;
}

} // namespace headscope

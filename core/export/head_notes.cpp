#include "core/export/head_notes.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace headscope {

namespace {

constexpr std::string_view kBetweenTexts = " | ";

HeadNote noteIn(const HeadNotes& notes, LayerHead head) {
    const auto found = notes.find(head);
    return found == notes.end() ? HeadNote() : found->second;
}

/// The texts that a joined note is made of.
std::vector<std::string> textsOf(std::string_view text) {
    std::vector<std::string> texts;
    while (!text.empty()) {
        const std::size_t end = text.find(kBetweenTexts);
        texts.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size()
                                                         : end + kBetweenTexts.size());
    }
    return texts;
}

HeadNote besideNote(const HeadNote& mine, const HeadNote& theirs) {
    const std::vector<std::string> said = textsOf(mine.text);
    std::vector<std::string> more;
    if (mine.text != theirs.text)
        std::ranges::copy_if(
            textsOf(theirs.text), std::back_inserter(more),
            [&](const std::string& text) { return std::ranges::find(said, text) == said.end(); });
    return {join(more, kBetweenTexts), theirs.is_bookmarked && !mine.is_bookmarked};
}

HeadNote joinedNote(const HeadNote& mine, const HeadNote& theirs) {
    const HeadNote more = besideNote(mine, theirs);
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
        if (HeadNote more = besideNote(noteIn(mine, head), note); !more.empty())
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

#include "core/datasets/bundled.h"

#include "core/datasets/conllu.h"

#include <algorithm>

namespace headscope {

std::vector<std::string_view> documentsOf(std::string_view text) {
    std::vector<std::string_view> documents;
    const auto add = [&](std::string_view document) {
        if (document.find_first_not_of(" \t\r\n") != std::string_view::npos)
            documents.push_back(document);
    };
    std::size_t document = 0;
    for (std::size_t line = 0; line < text.size();) {
        const std::size_t end = std::min(text.find('\n', line), text.size());
        if (text.substr(line, end - line) == kDocumentBreak) {
            add(text.substr(document, line - document));
            document = end + 1;
        }
        line = end + 1;
    }
    if (document < text.size())
        add(text.substr(document));
    return documents;
}

namespace {

/// The even or the odd documents.
std::string everyOther(std::string_view text, bool odd) {
    const std::vector<std::string_view> documents = documentsOf(text);
    std::string some;
    for (std::size_t i = odd ? 1 : 0; i < documents.size(); i += 2) {
        if (!some.empty())
            some.append(kDocumentBreak).append("\n");
        some += documents[i];
    }
    return some;
}

TextDomain inTurns(const char* name, std::string_view text) {
    return {name, everyOther(text, false), everyOther(text, true)};
}

TextDomain ofBoth(const char* name, bool odd) {
    return {name, everyOther(bundledCalibrationText(), odd), everyOther(bundledTestText(), odd)};
}

} // namespace

const std::vector<TextDomain>& bundledDomains() {
    static const std::vector<TextDomain> domains{
        inTurns("stories", storiesText()), inTurns("manual", manualText()),
        inTurns("encyclopedia", encyclopediaText()), ofBoth("novel", false), ofBoth("verse", true)};
    return domains;
}

const std::vector<Sentence>& bundledSentences() {
    // The test of the bundled sentences sees to it that they can be read.
    static const std::vector<Sentence> sentences =
        *readConllu(bundledText(), "the bundled sentences");
    return sentences;
}

} // namespace headscope

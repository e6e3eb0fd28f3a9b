#include "core/datasets/conllu.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/datasets/conllu/conllu_sentence.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

/// "_" means that the column is empty.
std::string columnText(const std::string& column) {
    return column == "_" ? std::string() : column;
}

Error wrongId(const ConlluPlace& place, const std::string& id, std::size_t expected) {
    return conlluError(place, "ID is '" + id + "', expected " + std::to_string(expected));
}

Result<std::size_t> numberIn(const ConlluPlace& place, std::string_view name,
                             std::string_view text) {
    if (const auto number = parseNumber<std::size_t>(text))
        return *number;
    return conlluError(place, std::string(name) + " is '" + std::string(text) +
                                  "', expected the number of a word");
}

/// The keys of MISC that are read.
Result<void> takeMisc(const std::string& misc, ConlluWord& word) {
    constexpr std::string_view coref = "Coref=";
    constexpr std::string_view quote = "Quote=";
    for (const std::string& entry : split(misc, '|')) {
        if (entry == "SpaceAfter=No")
            word.space_after = false;
        else if (entry.starts_with(quote))
            word.quotation = entry.substr(quote.size());
        if (!entry.starts_with(coref))
            continue;
        const auto antecedent = numberIn(word.place, "Coref", entry.substr(coref.size()));
        if (!antecedent)
            return antecedent.error();
        word.antecedent = *antecedent;
    }
    return {};
}

Result<void> addWord(const ConlluPlace& place, const std::vector<std::string>& columns,
                     ConlluSentence& sentence) {
    const std::size_t expected = sentence.words.size() + 1;
    if (parseNumber<std::size_t>(columns[0]) != expected)
        return wrongId(place, columns[0], expected);
    if (expected > kLongestSentence)
        return conlluError(place, "the sentence has more than " + std::to_string(kLongestSentence) +
                                      " words");
    ConlluWord word;
    word.place = place;
    word.form = columns[1];
    word.word_class = columnText(columns[3]);
    word.relation = columnText(columns[7]);
    if (columns[6] != "_") {
        const auto head = numberIn(place, "HEAD", columns[6]);
        if (!head)
            return head.error();
        word.head = *head;
    }
    if (auto taken = takeMisc(columns[9], word); !taken)
        return taken;
    sentence.words.push_back(std::move(word));
    return {};
}

Result<void> addContraction(const ConlluPlace& place, const std::vector<std::string>& columns,
                            ConlluSentence& sentence) {
    const std::string& id = columns[0];
    const std::size_t dash = id.find('-');
    const auto last = parseNumber<std::size_t>(std::string_view(id).substr(dash + 1));
    const std::size_t first = sentence.words.size() + 1;
    if (parseNumber<std::size_t>(std::string_view(id).substr(0, dash)) != first)
        return wrongId(place, id, first);
    const bool overlaps =
        !sentence.contractions.empty() && sentence.contractions.back().last >= first;
    if (!last || *last < first || overlaps)
        return conlluError(place, "'" + id + "' is no range of words after the last one");
    const auto misc = split(columns[9], '|');
    const bool space_after = std::ranges::find(misc, "SpaceAfter=No") == misc.end();
    sentence.contractions.push_back({place, first, *last, columns[1], space_after});
    return {};
}

void takeComment(const std::string& line, ConlluSentence& sentence) {
    constexpr std::string_view id = "# sent_id = ";
    constexpr std::string_view text = "# text = ";
    if (line.starts_with(id))
        sentence.id = line.substr(id.size());
    else if (line.starts_with(text))
        sentence.text = line.substr(text.size());
}

/// Any line but an empty one.
Result<void> takeLine(const ConlluPlace& place, const std::string& line, ConlluSentence& sentence) {
    if (line.starts_with('#')) {
        takeComment(line, sentence);
        return {};
    }
    const std::vector<std::string> columns = split(line, '\t');
    if (columns.size() != 10)
        return conlluError(place, "expected 10 columns with tabs between them, found " +
                                      std::to_string(columns.size()));
    if (columns[1].empty())
        return conlluError(place, "FORM is empty");
    if (columns[0].find('.') != std::string::npos)
        return {}; // an empty node: nothing of the text
    if (columns[0].find('-') != std::string::npos)
        return addContraction(place, columns, sentence);
    return addWord(place, columns, sentence);
}

/// Ends a sentence; comments alone make none.
Result<void> finishSentence(ConlluSentence& lines, std::vector<Sentence>& sentences) {
    const ConlluSentence ended = std::exchange(lines, {});
    if (!ended.contractions.empty() && ended.contractions.back().last > ended.words.size())
        return conlluError(ended.contractions.back().place,
                           "the range goes beyond the last word, " +
                               std::to_string(ended.words.size()));
    if (ended.words.empty())
        return {};
    auto sentence = sentenceOf(ended);
    if (!sentence)
        return sentence.error();
    if (sentence->id.empty())
        sentence->id = std::to_string(sentences.size() + 1);
    sentences.push_back(*std::move(sentence));
    return {};
}

Result<void> checkContent(std::string_view content, const std::string& source) {
    if (content.size() > kLargestConllu)
        return Error{ErrorCode::TooLarge, source + " has " + byteText(content.size()) +
                                              ", but at most " + byteText(kLargestConllu) +
                                              " are read; take a part of it."};
    const std::size_t byte = firstInvalidUtf8(content);
    if (byte == std::string_view::npos)
        return {};
    const auto breaks = std::ranges::count(content.substr(0, byte), '\n');
    return conlluError({source, static_cast<std::size_t>(breaks) + 1}, "it is not UTF-8");
}

} // namespace

Result<std::vector<Sentence>> readConllu(std::string_view content, const std::string& source) {
    if (auto good = checkContent(content, source); !good)
        return good.error();
    constexpr std::string_view byte_order_mark = "\uFEFF";
    if (content.starts_with(byte_order_mark))
        content.remove_prefix(byte_order_mark.size());

    std::vector<Sentence> sentences;
    ConlluSentence lines;
    ConlluPlace place{source, 0};
    for (std::size_t begin = 0; begin < content.size();) {
        const std::size_t end = std::min(content.find('\n', begin), content.size());
        std::string line(content.substr(begin, end - begin));
        if (line.ends_with('\r'))
            line.pop_back();
        ++place.line;
        const auto taken =
            line.empty() ? finishSentence(lines, sentences) : takeLine(place, line, lines);
        if (!taken)
            return taken.error();
        begin = end + 1;
    }
    if (auto finished = finishSentence(lines, sentences); !finished)
        return finished.error();
    return sentences;
}

} // namespace headscope

#include "core/datasets/conllu/conllu_sentence.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <map>
#include <utility>

namespace headscope {

namespace {

/// What the text writes without a break: a word, or a contraction of several.
struct WrittenUnit {
    ConlluPlace place;
    std::string_view form;
    bool space_after = true;
    std::size_t first = 0; ///< words [first, end)
    std::size_t end = 0;
};

std::vector<WrittenUnit> writtenUnits(const ConlluSentence& lines) {
    std::vector<WrittenUnit> units;
    units.reserve(lines.words.size());
    auto contraction = lines.contractions.begin();
    for (std::size_t i = 0; i < lines.words.size(); i = units.back().end) {
        if (contraction != lines.contractions.end() && contraction->first == i + 1) {
            units.push_back({contraction->place, contraction->form, contraction->space_after, i,
                             contraction->last});
            ++contraction;
            continue;
        }
        const ConlluWord& word = lines.words[i];
        units.push_back({word.place, word.form, word.space_after, i, i + 1});
    }
    return units;
}

std::string joinedText(const std::vector<WrittenUnit>& units) {
    std::string text;
    for (const WrittenUnit& unit : units) {
        text += unit.form;
        if (unit.space_after && &unit != &units.back())
            text += ' ';
    }
    return text;
}

/// Shares the bytes from `begin` out among the words of one unit.
void placeWords(const WrittenUnit& unit, std::size_t begin, std::vector<Word>& words) {
    std::string spelled;
    for (std::size_t i = unit.first; i < unit.end; ++i)
        spelled += words[i].form;
    const bool all_to_first = spelled != unit.form;
    std::size_t at = begin;
    for (std::size_t i = unit.first; i < unit.end; ++i) {
        words[i].begin = at;
        if (!all_to_first)
            at += words[i].form.size();
        else if (i == unit.first)
            at += unit.form.size();
        words[i].end = at;
    }
}

Result<void> findWords(const std::vector<WrittenUnit>& units, Sentence& sentence) {
    const std::string_view text = sentence.text;
    std::size_t at = 0;
    for (const WrittenUnit& unit : units) {
        at += leadingSpace(text.substr(at));
        if (!text.substr(at).starts_with(unit.form))
            return conlluError(unit.place, inQuotes(unit.form) +
                                               " is not the next word of the sentence's # text");
        placeWords(unit, at, sentence.words);
        at += unit.form.size();
    }
    if (leadingSpace(text.substr(at)) != text.size() - at)
        return conlluError(units.back().place,
                           "the sentence's # text goes on after its last word with " +
                               inQuotes(text.substr(at)));
    return {};
}

/// A word from which no way leads to a root.
std::optional<std::size_t> wordInCircle(const std::vector<Word>& words) {
    std::vector<std::size_t> seen_from(words.size(), 0); // 1 + the word whose walk came by
    for (std::size_t start = 0; start < words.size(); ++start) {
        std::optional<std::size_t> at = start;
        while (at && seen_from[*at] == 0) {
            seen_from[*at] = start + 1;
            at = words[*at].head;
        }
        if (at && seen_from[*at] == start + 1)
            return at;
    }
    return std::nullopt;
}

Result<void> takeLinks(const ConlluSentence& lines, std::vector<Word>& words) {
    const std::size_t count = lines.words.size();
    for (std::size_t i = 0; i < count; ++i) {
        const ConlluWord& line = lines.words[i];
        if (line.head > count)
            return conlluError(line.place, "HEAD is " + std::to_string(*line.head) +
                                               ", but the sentence has " + std::to_string(count) +
                                               " words");
        if (line.antecedent && (*line.antecedent == 0 || *line.antecedent > i))
            return conlluError(line.place,
                               "Coref=" + std::to_string(*line.antecedent) + " is no earlier word");
        if (line.head && *line.head > 0)
            words[i].head = *line.head - 1;
        if (line.antecedent)
            words[i].antecedent = *line.antecedent - 1;
    }
    if (const auto word = wordInCircle(words))
        return conlluError(lines.words[*word].place, "the heads lead in a circle");
    return {};
}

Result<std::vector<Quotation>> pairedMarks(const ConlluSentence& lines) {
    std::map<std::string_view, std::vector<std::size_t>> marks;
    for (std::size_t i = 0; i < lines.words.size(); ++i)
        if (const std::string& name = lines.words[i].quotation; !name.empty())
            marks[name].push_back(i);
    std::vector<Quotation> quotations;
    quotations.reserve(marks.size());
    for (const auto& [name, words] : marks) {
        if (words.size() != 2)
            return conlluError(lines.words[words.front()].place,
                               "Quote=" + std::string(name) + " is on " +
                                   std::to_string(words.size()) +
                                   (words.size() == 1 ? " word" : " words") +
                                   ", expected the opening and the closing mark");
        quotations.push_back({words[0], words[1]});
    }
    std::ranges::sort(quotations, {}, &Quotation::open);
    return quotations;
}

} // namespace

Error conlluError(const ConlluPlace& place, std::string_view what) {
    std::string message(place.source);
    message += ", line " + std::to_string(place.line) + ": ";
    message += what;
    return {ErrorCode::Malformed, message += '.'};
}

Result<Sentence> sentenceOf(const ConlluSentence& lines) {
    const std::vector<WrittenUnit> units = writtenUnits(lines);
    Sentence sentence;
    sentence.id = lines.id;
    sentence.text = lines.text ? *lines.text : joinedText(units);
    sentence.words.reserve(lines.words.size());
    for (const ConlluWord& line : lines.words) {
        Word word;
        word.form = line.form;
        word.word_class = line.word_class;
        word.relation = line.relation;
        sentence.words.push_back(std::move(word));
    }
    if (auto found = findWords(units, sentence); !found)
        return found.error();
    if (auto taken = takeLinks(lines, sentence.words); !taken)
        return taken.error();
    auto quotations = pairedMarks(lines);
    if (!quotations)
        return quotations.error();
    sentence.quotations = *std::move(quotations);
    return sentence;
}

} // namespace headscope

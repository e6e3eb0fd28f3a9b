#include "core/heads/annotation.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

/// "nsubj" and its subtypes, such as "nsubj:pass".
bool isRelation(const Word& word, std::string_view name) {
    const std::string_view relation = word.relation;
    return relation == name ||
           (relation.starts_with(name) && relation.substr(name.size()).starts_with(':'));
}

bool isLinked(const Word& word, WordLink link) {
    switch (link) {
    case WordLink::Coreference:
        return word.antecedent.has_value();
    case WordLink::SubjectVerb:
        return isRelation(word, "nsubj");
    case WordLink::VerbObject:
        return isRelation(word, "obj") || isRelation(word, "iobj");
    case WordLink::AdverbPhrase:
        break;
    }
    return isRelation(word, "advmod");
}

/// How many pairs of tokens of different words there are at each distance, and how many of these
/// are of one class. The same word in another place makes no pair.
struct ClassPairs {
    std::size_t all = 0;
    std::size_t same = 0;
};

void countClassPairs(const Annotation& annotation, std::map<std::size_t, ClassPairs>& pairs) {
    const auto& words = annotation.sentence.words;
    for (std::size_t later = 0; later < words.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            if (words[later].form == words[earlier].form)
                continue;
            for (std::size_t q = annotation.words[later].first; q < annotation.words[later].end;
                 ++q)
                for (std::size_t k = annotation.words[earlier].first;
                     k < annotation.words[earlier].end; ++k) {
                    ClassPairs& counted = pairs[q - k];
                    counted.all += 1;
                    counted.same += words[later].word_class == words[earlier].word_class ? 1 : 0;
                }
        }
}

constexpr std::array<std::string_view, 7> kQuotationMarks{"\"", "“", "”", "„", "«", "»", "‟"};
constexpr std::array<std::string_view, 8> kOtherMarks{"…", "–", "—", "‘", "’", "¿", "¡", "·"};

bool isAsciiMark(char c) {
    return std::string_view("!\"#%&'()*,-./:;?@[\\]_{}").find(c) != std::string_view::npos;
}

/// The mark of several bytes that `text` begins with; empty for none.
std::string_view longMarkAt(std::string_view text) {
    for (const std::string_view mark : kQuotationMarks)
        if (text.starts_with(mark))
            return mark;
    for (const std::string_view mark : kOtherMarks)
        if (text.starts_with(mark))
            return mark;
    return {};
}

/// Spaces apart, which belong to the token after them.
bool isPunctuation(std::string_view piece) {
    bool found = false;
    while (!piece.empty()) {
        std::size_t length = longMarkAt(piece).size();
        if (length == 0 && isAsciiMark(piece.front()))
            length = 1;
        found = found || length > 0;
        if (length == 0 && piece.front() == ' ')
            length = 1;
        if (length == 0)
            return false;
        piece.remove_prefix(length);
    }
    return found;
}

bool hasQuotationMark(std::string_view piece) {
    return std::ranges::any_of(kQuotationMarks, [piece](std::string_view mark) {
        return piece.find(mark) != std::string_view::npos;
    });
}

} // namespace

Annotation annotationOfMarks(std::span<const std::string> pieces) {
    Annotation annotation;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        Word word;
        word.form = pieces[i];
        word.word_class = isPunctuation(pieces[i]) ? "PUNCT" : "";
        annotation.sentence.words.push_back(std::move(word));
        annotation.words.push_back({i, i + 1});
        if (!hasQuotationMark(pieces[i]))
            continue;
        if (open)
            annotation.sentence.quotations.push_back({*std::exchange(open, std::nullopt), i});
        else
            open = i;
    }
    return annotation;
}

std::vector<WordPair> linkedWords(const Sentence& sentence, WordLink link) {
    std::vector<WordPair> pairs;
    for (std::size_t i = 0; i < sentence.words.size(); ++i) {
        const Word& word = sentence.words[i];
        if (!isLinked(word, link))
            continue;
        const auto other = link == WordLink::Coreference ? word.antecedent : word.head;
        if (other && *other != i)
            pairs.push_back({std::max(i, *other), std::min(i, *other)});
    }
    return pairs;
}

std::vector<std::size_t> Annotation::wordOfToken(std::size_t positions) const {
    std::vector<std::size_t> word_of(positions, words.size());
    for (std::size_t word = 0; word < words.size(); ++word)
        for (std::size_t token = words[word].first; token < words[word].end; ++token)
            word_of[token] = word;
    return word_of;
}

UsualPlaces usualPlaces(std::span<const Annotation> annotations) {
    UsualPlaces usual;
    for (std::size_t link = 0; link < kWordLinks; ++link) {
        std::map<std::size_t, std::size_t> pairs; // by words apart
        for (const Annotation& annotation : annotations)
            for (const WordPair pair : linkedWords(annotation.sentence, WordLink(link)))
                pairs[pair.later - pair.earlier] += 1;
        if (!pairs.empty())
            usual.words_apart[link] = std::ranges::max_element(pairs, {}, [](const auto& each) {
                                          return each.second;
                                      })->first;
    }
    std::map<std::size_t, ClassPairs> pairs;
    for (const Annotation& annotation : annotations)
        countClassPairs(annotation, pairs);
    for (const auto& [distance, counted] : pairs)
        usual.same_class[distance] =
            static_cast<double>(counted.same) / static_cast<double>(counted.all);
    return usual;
}

} // namespace headscope

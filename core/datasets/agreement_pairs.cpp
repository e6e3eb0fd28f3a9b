#include "core/datasets/agreement_pairs.h"

#include "core/base/random.h"
#include "core/datasets/bundled.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace headscope {

namespace {

struct Noun {
    std::string_view one;
    std::string_view many;

    std::string_view form(bool is_many) const { return is_many ? many : one; }
};

constexpr std::array<Noun, 16> kNouns{{{"boy", "boys"},
                                       {"girl", "girls"},
                                       {"dog", "dogs"},
                                       {"cat", "cats"},
                                       {"bird", "birds"},
                                       {"tree", "trees"},
                                       {"friend", "friends"},
                                       {"house", "houses"},
                                       {"flower", "flowers"},
                                       {"book", "books"},
                                       {"king", "kings"},
                                       {"ship", "ships"},
                                       {"horse", "horses"},
                                       {"teacher", "teachers"},
                                       {"letter", "letters"},
                                       {"door", "doors"}}};
constexpr std::array<std::string_view, 4> kBetween{"near", "behind", "next to", "in front of"};
/// For one and for many.
constexpr std::array<Noun, 4> kVerbs{
    {{"is", "are"}, {"was", "were"}, {"has", "have"}, {"does", "do"}}};

/// The form of the other number; empty for other words.
std::string_view otherNumber(std::string_view form) {
    for (const Noun& verb : kVerbs) {
        if (form == verb.one)
            return verb.many;
        if (form == verb.many)
            return verb.one;
    }
    return {};
}

/// Whether a subject of the verb, or of the word that it is an auxiliary of, comes before it.
bool isBehindItsSubject(const Sentence& sentence, std::size_t verb) {
    const Word& word = sentence.words[verb];
    for (std::size_t i = 0; i < verb; ++i) {
        const Word& other = sentence.words[i];
        const bool is_auxiliary = word.word_class == "AUX";
        if (other.relation.starts_with("nsubj") &&
            (other.head == verb || (is_auxiliary && word.head && other.head == word.head)))
            return true;
    }
    return false;
}

template <class List>
const typename List::value_type& drawn(const List& list, Random& random) {
    return list[random.below(list.size())];
}

} // namespace

std::vector<AgreementPair> bundledAgreementPairs() {
    std::vector<AgreementPair> pairs;
    for (const Sentence& sentence : bundledSentences())
        for (std::size_t i = 1; i < sentence.words.size(); ++i) {
            const Word& word = sentence.words[i];
            const std::string_view other = otherNumber(word.form);
            const bool has_space = word.begin > 0 && sentence.text[word.begin - 1] == ' ';
            if (!other.empty() && has_space && isBehindItsSubject(sentence, i))
                pairs.push_back(
                    {sentence.text.substr(0, word.begin - 1), word.form, std::string(other)});
        }
    return pairs;
}

std::vector<AgreementPair> agreementPairs(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<AgreementPair> pairs;
    pairs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_many = i % 2 != 0;
        const bool distracts = i % 4 >= 2;
        const Noun& subject = drawn(kNouns, random);
        const Noun& other = drawn(kNouns, random);
        const Noun& verb = kVerbs[i / 4 % kVerbs.size()];
        std::string beginning = "The ";
        beginning.append(subject.form(is_many)).append(" ").append(drawn(kBetween, random));
        beginning.append(" the ").append(other.form(is_many != distracts));
        pairs.push_back({std::move(beginning), std::string(verb.form(is_many)),
                         std::string(verb.form(!is_many))});
    }
    return pairs;
}

} // namespace headscope

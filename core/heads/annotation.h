#pragma once

#include "core/datasets/conllu.h"
#include "core/datasets/token_alignment.h"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// Which words a head of grammar ties together. The later word of a pair looks at the earlier one,
/// because a causal network sees no other way.
enum class WordLink {
    Coreference,  ///< a mention and its antecedent
    SubjectVerb,  ///< nsubj
    VerbObject,   ///< obj, iobj
    AdverbPhrase, ///< advmod
};
inline constexpr std::size_t kWordLinks = 4;

/// Two words of one sentence, by index.
struct WordPair {
    std::size_t later = 0;
    std::size_t earlier = 0;
};

std::vector<WordPair> linkedWords(const Sentence& sentence, WordLink link);

/// What is usual in a set of sentences: what a head would find that knows no grammar.
struct UsualPlaces {
    /// By WordLink: how many words apart most pairs are; 0: there are no pairs.
    std::array<std::size_t, kWordLinks> words_apart{};
    /// By distance in tokens: the share of token pairs of different words at this distance that are
    /// of one class.
    std::map<std::size_t, double> same_class;
};

/// A sentence of a set with the places of its words.
struct Annotation {
    Sentence sentence;
    std::vector<TokenSpan> words; ///< one per word
    std::shared_ptr<const UsualPlaces> usual;

    /// The word that each of `positions` tokens belongs to; words.size() for none.
    std::vector<std::size_t> wordOfToken(std::size_t positions) const;
};

/// What a text shows without a treebank: every token is a word, those of punctuation alone are of
/// class PUNCT, and quotation marks make pairs in their order. Of the rest nothing is known, and
/// `usual` is null. `pieces`: the text of each token.
Annotation annotationOfMarks(std::span<const std::string> pieces);

/// Over all of them; `usual` is not read.
UsualPlaces usualPlaces(std::span<const Annotation> annotations);

} // namespace headscope

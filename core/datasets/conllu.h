#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// One syntactic word, punctuation included (universaldependencies.org). Other words are named by
/// their index in the sentence.
struct Word {
    std::string form;
    std::size_t begin = 0; ///< bytes [begin, end) of the sentence's text
    std::size_t end = 0;
    std::string word_class;          ///< UPOS, such as "NOUN"; empty when the file names none
    std::optional<std::size_t> head; ///< nothing for the root, and where the file names none
    std::string relation; ///< to the head, such as "nsubj" or "acl:relcl"; empty for none
    /// An earlier word for the same thing: the nearest such mention.
    std::optional<std::size_t> antecedent;
};

/// The words that are the two quotation marks.
struct Quotation {
    std::size_t open = 0;
    std::size_t close = 0;
};

/// Words are in the order of the text and don't overlap. Heads form trees; every antecedent is
/// earlier than its word; quotations are in the order of their opening marks.
struct Sentence {
    std::string id;
    std::string text;
    std::vector<Word> words;
    std::vector<Quotation> quotations;
};

inline constexpr std::size_t kLargestConllu = 50'000'000; ///< bytes
inline constexpr std::size_t kLongestSentence = 10'000;   ///< words

/// The sentences of a file in CoNLL-U (universaldependencies.org/format.html); `source` names it in
/// error messages. Of the ten columns FORM, UPOS, HEAD, DEPREL and MISC are read; of MISC the keys
/// SpaceAfter, Coref and Quote (resources/datasets/README.md). Empty nodes are passed over. Where
/// the words of a contraction ("3-4 zum") do not spell it, the first gets all of its text and the
/// others an empty range. A sentence without `# sent_id` is named by its number, counted from 1;
/// one without `# text` gets its forms, with a space wherever SpaceAfter does not say No.
/// Fails, with line and reason, on what is no CoNLL-U, on heads outside the sentence or in a
/// circle, on an antecedent that is not earlier, a quotation mark without its partner, and beyond
/// the limits above.
Result<std::vector<Sentence>> readConllu(std::string_view content, const std::string& source);

} // namespace headscope

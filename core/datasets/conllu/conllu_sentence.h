#pragma once

#include "core/base/result.h"
#include "core/datasets/conllu.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Where an error message points to.
struct ConlluPlace {
    std::string_view source;
    std::size_t line = 0; ///< counted from 1
};

/// ErrorCode::Malformed: "SOURCE, line LINE: WHAT."
Error conlluError(const ConlluPlace& place, std::string_view what);

/// A word as its line says it: words count from 1.
struct ConlluWord {
    ConlluPlace place;
    std::string form;
    bool space_after = true;
    std::string word_class;
    std::optional<std::size_t> head; ///< 0 is the root
    std::string relation;
    std::optional<std::size_t> antecedent;
    std::string quotation; ///< the two marks of one quotation have the same name
};

/// "3-4 didn't": words `first` to `last` as they are written.
struct ConlluContraction {
    ConlluPlace place;
    std::size_t first = 0;
    std::size_t last = 0;
    std::string form;
    bool space_after = true;
};

/// The lines between two empty ones.
struct ConlluSentence {
    std::string id;
    std::optional<std::string> text; ///< of "# text"
    std::vector<ConlluWord> words;
    std::vector<ConlluContraction> contractions; ///< in order, without overlap
};

/// Checks what one line alone cannot tell, and finds the words in the text. There is at least one
/// word.
Result<Sentence> sentenceOf(const ConlluSentence& lines);

} // namespace headscope

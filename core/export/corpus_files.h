#pragma once

#include "core/base/result.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// What heads are scored or looked at on, and how results name it.
struct NamedSequences {
    std::vector<InputSequence> sequences;
    std::string name; ///< "stories.txt, 4096 tokens in 64 sequences"
};

/// A text file cut into sequences of `length` tokens, or of the context where that is shorter.
/// Fails as readTextFile() and textSequences() do.
Result<NamedSequences> textFileSequences(const Model& model, const std::string& path,
                                         std::size_t length, BosMode bos);

/// The sentences of a file in CoNLL-U. Fails as readConllu() and sentenceSequences() do, and for
/// none.
Result<NamedSequences> treebankSequences(const Model& model, const std::string& path, BosMode bos);

/// The text that examples are looked for in.
struct ExampleCorpus {
    std::filesystem::path file;        ///< empty: the bundled text
    std::size_t length = 64;           ///< of its sequences, BOS included
    std::size_t most_tokens = 100'000; ///< read evenly from the whole text
    BosMode bos = BosMode::Auto;
};

/// Fails as textFileSequences() does.
Result<NamedSequences> exampleSequences(const Model& model, const ExampleCorpus& corpus);

} // namespace headscope

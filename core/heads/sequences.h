#pragma once

#include "core/base/result.h"
#include "core/datasets/conllu.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct RepeatOptions {
    std::size_t sequences = 10;
    std::size_t period = 50; ///< length of the repeated part; shortened to fit the context
    std::uint64_t seed = 0;
    BosMode bos = BosMode::Auto;
};

/// BOS + X + X with X random and without special tokens, `sequences` times. Fails for a context
/// too short for a repeat.
Result<std::vector<InputSequence>> repeatedRandomSequences(const Model& model,
                                                           const RepeatOptions& options);

/// "10 random sequences of 50 tokens, repeated, seed 0"
std::string repeatsText(const RepeatOptions& options, std::size_t period);

/// Sentences as the model reads them, with their annotations. Those that do not fit its context or
/// its vocabulary are left out. Fails for a model without a tokenizer, and when none is left.
Result<std::vector<InputSequence>> sentenceSequences(const Model& model,
                                                     std::span<const Sentence> sentences,
                                                     BosMode bos = BosMode::Auto);

/// A text cut into sequences of `length` tokens, BOS of each included; the last of each document
/// (core/datasets/bundled.h) may be shorter. Documents are encoded as a whole, so that no token
/// is cut. Fails for a model without a tokenizer, for an empty text and for a length beyond the
/// context.
Result<std::vector<InputSequence>> textSequences(const Model& model, std::string_view text,
                                                 BosMode bos, std::size_t length);

/// As many of them as hold at most `most_tokens` together, evenly from all places; at least one.
std::vector<InputSequence> evenShare(std::vector<InputSequence> sequences, std::size_t most_tokens);

/// Of all together.
std::size_t tokensOf(std::span<const InputSequence> sequences);

/// "book.txt, 4096 tokens in 64 sequences", and how many of them the tokenizer does not know.
std::string corpusText(const Model& model, const std::string& name,
                       std::span<const InputSequence> sequences);

/// One sequence for each prompt.
std::vector<InputSequence> promptSequences(std::span<const Prompt> prompts);

} // namespace headscope

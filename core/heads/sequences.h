#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/datasets/conllu.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"
#include "core/model/prompt.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct RepeatOptions {
    std::size_t sequences = 10;
    std::size_t period = 50; ///< length of the repeated part; shortened to fit the context
    std::uint64_t seed = 0;
    BosMode bos = BosMode::Auto;
    std::size_t length = 128; ///< of distinctRandomSequences(); shortened likewise
    TokenIds drawn_from = {}; ///< what tokens are drawn from; empty: contentIds()

    bool operator==(const RepeatOptions&) const = default;
};

/// Ids in place of a text: they begin with BOS where texts of the model do.
Result<Prompt> promptFromTextIds(const Model& model, TokenIds ids, BosMode bos);

/// The ids that random sequences are drawn from, ascending: without special tokens, and without the
/// most and the least common ones.
TokenIds contentIds(const Model& model);

/// BOS + X + X with X random and without special tokens, `sequences` times. Fails for a context
/// too short for a repeat.
Result<std::vector<InputSequence>> repeatedRandomSequences(const Model& model,
                                                           const RepeatOptions& options);

/// BOS + X with X random, without special tokens and none of them twice, `sequences` times: what a
/// head does that compares no tokens. X has RepeatOptions::length tokens, or what fits the
/// context and the vocabulary; `period` is not read. Fails for a context too short to look back in.
Result<std::vector<InputSequence>> distinctRandomSequences(const Model& model,
                                                           const RepeatOptions& options);

/// "10 random sequences of 50 tokens, repeated, seed 0"
std::string repeatsText(const RepeatOptions& options, std::size_t period);

/// "10 random sequences of 128 tokens, none twice, seed 0"
std::string distinctText(const RepeatOptions& options, std::size_t length);

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

/// The number of tokens of all together.
std::size_t tokensOf(std::span<const InputSequence> sequences);

/// "book.txt, 4096 tokens in 64 sequences", and how many of them the tokenizer does not know.
std::string corpusText(const Model& model, const std::string& name,
                       std::span<const InputSequence> sequences);

/// One sequence for each prompt.
std::vector<InputSequence> promptSequences(std::span<const Prompt> prompts);

/// Prompts that say whether a model does the task: each of eight templates three times.
inline constexpr std::size_t kNamePrompts = 24;

/// A name is copied when its logit is among the five best (Wang et al. 2022).
inline constexpr std::size_t kBestLogits = 5;

/// Where the names of an indirect-object prompt are (Wang et al. 2022): "When Mary and John walked
/// to the store, John handed a book to". IO comes once, S twice.
struct NameTask {
    std::size_t io = 0;
    std::size_t s1 = 0;
    std::size_t s2 = 0;
    std::size_t end = 0; ///< the last token, which predicts IO
    TokenId io_token = 0;
    TokenId s_token = 0;
    TokenIds abc_ids = {}; ///< the prompt with three different names at these places
    PerHead<bool> copies;  ///< its OV circuit puts IO among the five best logits
    PerHead<bool> negates; ///< −OV does
};

/// `count` prompts of the task as the model reads them. Fails for networks that do not predict the
/// next token or prefer IO to S in fewer than three of four prompts, whose heads do not do the
/// task, as indirectObjectPrompts() and copiedRanks() do, and with ErrorCode::Cancelled on a stop
/// request.
Result<std::vector<InputSequence>> nameSequences(const std::shared_ptr<const Model>& model,
                                                 std::size_t count, std::uint64_t seed, BosMode bos,
                                                 const Progress& progress = {},
                                                 const std::stop_token& stop = {});

/// A word of a series, such as Monday, whose token is the last of its sequence.
struct OrdinalTask {
    std::size_t place = 0; ///< among the words of its series; its successor is the next one
    /// Whether the word before it in the series is the one before this place, and the word two
    /// after it the one two places on.
    bool has_predecessor = false;
    bool has_second = false;
    /// centredUnembedding() of all words of the series [word, d_model], which its sequences share.
    std::shared_ptr<const Tensor> directions;
};

/// Each word of ordinalSeries() that has a successor, alone behind BOS. Fails as ordinalSeries()
/// and checkDirectLogits() do.
Result<std::vector<InputSequence>> ordinalSequences(const Model& model,
                                                    BosMode bos = BosMode::Auto);

/// "54 ordinals"
std::string ordinalsText(std::size_t count);

/// The same words in their order, five in a sequence and none twice: what is lost there is lost of
/// going on with a series. Fails as ordinalSeries() does.
Result<std::vector<InputSequence>> ordinalsInOrder(const Model& model, BosMode bos = BosMode::Auto);

} // namespace headscope

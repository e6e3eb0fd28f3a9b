#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/model/model.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Whether a beginning-of-sequence token goes in front of the prompt. Auto: before texts by the
/// model's rule, and never before token ids, which are run as they are given.
enum class BosMode { Auto, Yes, No };

/// Token ids ready to run, with everything a view shows about them. Position 0 is BOS when
/// `has_bos`. Those that the functions below make are of a model that can be run, inside its
/// vocabulary and its context.
struct Prompt {
    std::string text; ///< what the user typed; empty when ids were given
    TokenIds ids;
    std::vector<std::string> pieces; ///< tokenPiece() of each
    std::vector<TextRange> offsets;  ///< code points of `text`; empty ranges for added tokens
    bool has_bos = false;
    std::string bos_reason; ///< one sentence: why there is, or is no, BOS
    /// ModelSpec::segmentsOf()
    std::vector<std::size_t> segments;
};

/// Whether texts of this model start with BOS under BosMode::Auto, and why: what the tokenizer
/// adds by itself, what the files say of training, and what is used now. Yes when the tokenizer
/// begins every text with a token, when its settings (tokenizer_config.json) say add_bos_token, or
/// when the config names bos_token_id and tokenizer_config.json does not say otherwise
/// (model.spec.bos_token holds the token in each case); no otherwise.
struct BosRule {
    bool add = false;
    std::string reason;
};
BosRule bosRule(const Model& model);

/// The error for a text that is given to a model without a tokenizer: that the model has none, or
/// why the one in its file is not used, and what follows (", so it cannot …").
Error noTokenizer(ErrorCode code, const Model& model, std::string_view what_follows);

/// Text → ids, with what the tokenizer's post-processor adds unless BOS is switched off. BOS is
/// never added twice: a text that already begins with it is left alone. An empty text is the prompt
/// of BOS alone.
/// Fails on text that is not UTF-8, on an empty result, and beyond the model's context, with the
/// counts.
Result<Prompt> promptFromText(const Model& model, std::string_view text, BosMode bos);

/// The same to look at, of any model that has a tokenizer: it may have no token at all.
Result<Prompt> tokensOfText(const Model& model, std::string_view text, BosMode bos);

/// The same for ids given by hand; every id must be inside the vocabulary.
Result<Prompt> promptFromIds(const Model& model, TokenIds ids, BosMode bos);

/// What a user typed: text, or token ids for a model without a tokenizer.
Result<Prompt> promptFromInput(const Model& model, std::string_view typed, BosMode bos);

/// What a user would type for it: its text, or the ids of one that was given as ids.
std::string promptText(const Prompt& prompt);

/// The one token that a text is. Fails without a tokenizer and on a text that is not exactly one
/// token.
Result<TokenId> tokenFromText(const Model& model, std::string_view text);

/// "1, 2 3" → ids; the whole text must be numbers.
Result<TokenIds> parseTokenIds(std::string_view text);

/// Text of one token, whitespace as it is; "⟨7⟩" for an id the tokenizer does not know.
std::string tokenPiece(const Model& model, TokenId id);

/// "1 (<s>)", or the number alone where no token of the tokenizer has it.
std::string idAndToken(const Model& model, TokenId id);

/// What a text grows by when this token is put after it; nothing for a token that is no text.
/// Without a tokenizer its id, " 7".
std::string typedPiece(const Model& model, TokenId id);

/// The name of one of the logits: the text of a token, or "class 1" if they belong to classes.
std::string outputPiece(const Model& model, TokenId id);
/// The same on screen: displayPiece() of a token.
std::string displayOutput(const Model& model, TokenId id);

/// The one of the logits that a text means: a token, or a class by its number.
Result<TokenId> outputFromText(const Model& model, std::string_view text);

// Two texts are one prompt: the first, the tokens that the tokenizer puts between two texts, and
// the second, "the cat[SEP]the dog".

/// What comes between two texts, "[SEP]"; nothing where the tokenizer has no template of pairs.
std::optional<std::string> pairSeparator(const Model& model);

/// The prompt of two texts. Fails where the tokenizer has no template of pairs, and where the
/// prompt would have other tokens or segments than the template says, as for a first text that
/// holds a separator itself.
Result<std::string> pairText(const Model& model, std::string_view first, std::string_view second);

struct TextPair {
    std::string first;
    std::string second;
};
/// The two texts of a prompt that pairText() makes; nothing for any other.
std::optional<TextPair> pairOf(const Model& model, std::string_view prompt);

/// "0 for 8 tokens, 1 for the 7 after [SEP]", and why all are 0 where that is so. Empty where the
/// model knows no segments.
std::string segmentsText(const Model& model, const Prompt& prompt);

/// How one token is shown on screen: whitespace visible ("·the", "⏎", "⇥"), specials as they are.
std::string displayPiece(std::string_view piece);

/// "14 ·to", and "14" where its piece is not known.
std::string positionText(std::span<const std::string> pieces, std::size_t position);

} // namespace headscope

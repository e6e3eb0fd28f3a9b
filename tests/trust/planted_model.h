#pragma once

#include "core/base/layer_head.h"
#include "core/base/token_id.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::test {

/// What a planted head looks at.
enum class Look {
    Back,        ///< the position `back` tokens before; 0: its own
    First,       ///< position 0, whatever token is there
    BosToken,    ///< the token BOS, wherever it is
    Same,        ///< the same token earlier
    AfterSame,   ///< what came after the same token earlier: induction
    All,         ///< everything alike
    Near,        ///< itself and the three before it
    FirstTokens, ///< positions 1 to 8
    SomeTokens,  ///< a random fifth of the vocabulary
    Chance,      ///< random queries and keys
    Marks,       ///< tokens of punctuation
    LastMark,    ///< the last of them
    Rarest,      ///< the largest token id
    ItsWord,     ///< one back, from tokens that go on with a word; rests at others
};

/// Where a planted head moves the tokens that it looks at.
enum class Moves {
    Unread,     ///< to where no other head and no logit reads
    ToLogits,   ///< raises their logits: copying
    Against,    ///< lowers their logits
    ToPrevious, ///< to where heads of Look::AfterSame find what came before each token
    Nothing,    ///< W_O is 0
};

struct PlantedHead {
    LayerHead head;
    Look look = Look::All;
    std::size_t back = 0;  ///< of Look::Back
    double share = 0.9;    ///< of the attention of a query that finds what it looks for
    bool rests = true;     ///< the remainder is on position 0, else spread
    bool half = false;     ///< for the upper half of the vocabulary; rests at other queries
    double strength = 1.0; ///< of Look::Chance: the deviation of its scores
    Moves moves = Moves::Unread;
    double size = 1.0; ///< of what it writes, against others
};

/// "looks at −20, share 0.71, the rest spread, unread"
std::string plantedText(const PlantedHead& head);

struct PlantedShape {
    std::size_t n_layers = 3;
    std::size_t n_heads = 8;
    std::size_t n_kv_heads = 8;
    std::size_t d_code = 32; ///< numbers in which a token, or a position, is told from others
    std::size_t d_vocab = 300;
    std::size_t n_ctx = 260;
    std::optional<NormKind> norm;
    bool one_hot_tokens = false;    ///< else they share d_code dimensions
    bool one_hot_positions = false; ///< likewise; else sines and cosines
    bool turned = true;             ///< the residual stream is in a random basis
    double noise = 0.0;             ///< in all weights of attention, against what is planted
    bool mlp = false;               ///< that writes something random
    /// Null: prompts are token ids.
    std::shared_ptr<const Tokenizer> tokenizer = nullptr;
};

/// "300 tokens in 32 dimensions, one-hot positions, LayerNorm, 4 KV heads"
std::string plantedText(const PlantedShape& shape);

inline constexpr TokenId kPlantedBos = 0;

/// A network of attention in which it is known why each head looks where it looks, because its
/// weights were written for that and not trained. One head for each place of the shape.
std::shared_ptr<const Model>
plantedModel(const PlantedShape& shape, const std::vector<PlantedHead>& heads, std::uint64_t seed);

} // namespace headscope::test

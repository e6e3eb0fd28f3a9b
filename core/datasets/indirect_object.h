#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// "When Mary and John walked to the store, John handed a book to", which Mary completes: the
/// indirect-object task of Wang et al. 2022. IO is the name that comes once (Mary), S the one that
/// comes twice (John). Every name is one token.
struct IndirectObjectPrompt {
    std::string text;
    TokenIds ids;
    /// The same words with three other names in the places of IO, S1 and S2: the corrupted run that
    /// Wang et al. call ABC. As long as `ids`, and the positions below hold for both.
    TokenIds abc_ids;
    bool has_bos = false;
    bool io_first = false; ///< IO comes before S1 (ABBA), else after it (BABA)
    std::size_t io = 0;
    std::size_t s1 = 0;
    std::size_t s1_next = 0; ///< the token after S1
    std::size_t s2 = 0;
    std::size_t end = 0; ///< the last token of the text, which predicts IO
    TokenId io_token = 0;
    TokenId s_token = 0;
};

/// `count` prompts from templates, ABBA and BABA in turn; the names, places and objects are drawn
/// from `seed`. Names are those of a fixed list that the model's tokenizer reads as one token
/// after a space. Fails without a tokenizer, with fewer than five such names, and for a context
/// too short.
Result<std::vector<IndirectObjectPrompt>> indirectObjectPrompts(const Model& model,
                                                                std::size_t count = 40,
                                                                std::uint64_t seed = 0,
                                                                BosMode bos = BosMode::Auto);

} // namespace headscope

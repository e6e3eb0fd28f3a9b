#pragma once

#include "core/base/token_id.h"

namespace headscope {
class Tokenizer;
}

namespace headscope::test {

// What tokens are by their texts; nothing of this without a tokenizer.

/// Whether a token holds marks alone, spaces apart.
bool isMark(const Tokenizer* tokenizer, TokenId id);

/// Whether a token goes on with the word before it: its text begins with a letter.
bool goesOn(const Tokenizer* tokenizer, TokenId id);

} // namespace headscope::test

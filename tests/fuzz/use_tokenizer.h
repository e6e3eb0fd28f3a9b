#pragma once

#include "core/tokenizer/tokenizer.h"

#include <string_view>

namespace headscope::fuzz {

/// Encodes some texts, and asks for every token that comes out.
inline void useTokenizer(const Tokenizer& tokenizer) {
    for (const std::string_view text :
         {"", "The cat  sat. <s>", "é ﬁ 你好\n 🙂 e\u0301 [MASK]"}) {
        const auto encoding = tokenizer.encode(text, true);
        if (!encoding)
            continue;
        tokenizer.decode(encoding->ids, false);
        for (const TokenId id : encoding->ids)
            tokenizer.piece(id);
    }
}

} // namespace headscope::fuzz

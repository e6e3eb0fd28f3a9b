#include "core/tokenizer/tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace headscope;

/// A tokenizer.json of any bytes is refused or works.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto tokenizer =
        Tokenizer::fromJson({reinterpret_cast<const char*>(data), size}, "tokenizer.json");
    if (!tokenizer)
        return 0;
    for (const std::string_view text :
         {"", "The cat  sat. <s>", "é ﬁ 你好\n 🙂 e\u0301 [MASK]"}) {
        const auto encoding = (*tokenizer)->encode(text, true);
        if (!encoding)
            continue;
        (*tokenizer)->decode(encoding->ids, false);
        for (const TokenId id : encoding->ids)
            (*tokenizer)->piece(id);
    }
    return 0;
}

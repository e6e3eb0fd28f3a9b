#include "core/tokenizer/tokenizer.h"
#include "tests/fuzz/use_tokenizer.h"

#include <cstddef>
#include <cstdint>

using namespace headscope;

/// A tokenizer.json of any bytes is refused or works.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto tokenizer =
        readTokenizerJson({reinterpret_cast<const char*>(data), size}, "tokenizer.json");
    if (tokenizer)
        fuzz::useTokenizer(**tokenizer);
    return 0;
}

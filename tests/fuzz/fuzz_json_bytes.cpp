// What a sealed reader that was taken over may answer in place of a JSON text. Whatever is
// understood can only be said in this way.

#include "core/base/json_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const JsonLimits limits{.depth = 64, .values = 100'000};
    const auto document = decodeJson(bytes, limits, size);
    if (document && !std::ranges::equal(encodeJson(*document), bytes))
        std::abort();
    if (document)
        static_cast<void>(JsonDocument::parse(document->root().dump(), limits));
    return 0;
}

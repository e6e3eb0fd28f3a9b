// What a sealed reader that was taken over may answer in place of a JSON text. Whatever is
// understood could have been said of a text.

#include "core/base/json_bytes.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const JsonLimits limits{.depth = 64, .values = 100'000};
    const auto document = decodeJson(bytes, limits, size);
    if (!document)
        return 0;
    const std::string text = document->root().dump();
    const auto again = encodeJson(text);
    const auto same = again ? decodeJson(*again, {}, text.size()) : std::nullopt;
    if (!same || same->root().json() != document->root().json())
        std::abort();
    return 0;
}

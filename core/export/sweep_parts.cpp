#include "core/export/sweep_parts.h"

#include "core/base/json.h"
#include "core/export/formats/json_numbers.h"

#include <utility>

namespace headscope {

namespace {

/// An object with a list.
constexpr JsonLimits kSweepLimits{.depth = 2, .values = 10'000'000, .unique_keys = true};

} // namespace

std::string sweepPartText(const SweepPart& part) {
    return R"({"full":)" + exactNumber(part.full) + R"(,"values":)" + exactNumbers(part.values) +
           "}";
}

std::optional<SweepPart> readSweepPart(std::string_view text, const SweepStep& step) {
    const auto document = JsonDocument::parse(text, kSweepLimits);
    if (!document || !document->root().find("full"))
        return std::nullopt;
    const auto full = readExactNumber(document->root().member("full"));
    auto values = readExactNumbers(document->root().member("values"), step.units.size());
    if (!full || !values)
        return std::nullopt;
    return SweepPart{*full, *std::move(values)};
}

} // namespace headscope

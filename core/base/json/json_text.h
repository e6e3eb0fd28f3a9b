#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// Holds the limits before anything is built: `text` need not be JSON. `text_bytes` is its length
/// without the quotes of withQuotedConstants().
Result<void> checkJsonText(std::string_view text, const JsonLimits& limits, std::size_t text_bytes);

/// With quotes around Infinity, -Infinity and NaN; nothing where there are none.
std::optional<std::string> withQuotedConstants(std::string_view text);

Error whyNoJson(const nlohmann::json::exception& failure);

/// What `parse`, which throws as nlohmann::json does, makes of a text; the refusals and the errors
/// are those of JsonDocument::parse().
template <class Parse>
auto parseJson(std::string_view text, const JsonLimits& limits, std::size_t text_bytes, Parse parse)
    -> Result<decltype(parse(text))> {
    if (const auto good = checkJsonText(text, limits, text_bytes); !good)
        return good.error();
    try {
        return parse(text);
    } catch (const nlohmann::json::parse_error& failure) {
        if (const auto quoted = withQuotedConstants(text))
            return parseJson(*quoted, limits, text_bytes, parse);
        return whyNoJson(failure);
    } catch (const nlohmann::json::exception& failure) {
        return whyNoJson(failure);
    }
}

} // namespace headscope

#pragma once

#include "core/base/json.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

// JSON on its way from one process to another, in a form that takes next to nothing to read.

/// Each value as one byte that says its type, and then: a whole number, in seven bits of each byte;
/// the eight bytes of a double; a text after its length; the values of an array or, each after its
/// key, of an object, after their number.
std::vector<std::byte> encodeJson(const JsonDocument& document);

/// Whoever says that encodeJson() gave these bytes: nothing for all that it would never give (cut
/// short, texts that are no UTF-8, keys out of order or twice, numbers that are not finite), and
/// for more than a text of `text_bytes` may hold by these limits. Takes no more memory than that.
std::optional<JsonDocument> decodeJson(std::span<const std::byte> bytes, const JsonLimits& limits,
                                       std::size_t text_bytes);

} // namespace headscope

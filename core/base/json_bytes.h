#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headscope {

// JSON on its way from one process to another, in a form that takes next to nothing to read.

/// The values of a text in its order, each as one byte that says its type, and then: a whole
/// number, in seven bits of each byte; the eight bytes of a double; a text after its length; the
/// values of an array or, each after its key, of an object, and an end. Refuses what
/// JsonDocument::parse() refuses, with the same error.
Result<std::vector<std::byte>> encodeJson(std::string_view text, const JsonLimits& limits = {});

/// Whoever says that encodeJson() gave these bytes: nothing for what no text holds (cut short,
/// texts that are no UTF-8, numbers that are not finite), and for more than a text of `text_bytes`
/// may hold by these limits. Takes no more memory than that.
std::optional<JsonDocument> decodeJson(std::span<const std::byte> bytes, const JsonLimits& limits,
                                       std::size_t text_bytes);

} // namespace headscope

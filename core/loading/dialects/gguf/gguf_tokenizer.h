#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/tokenizer/from_ggml.h"

#include <string_view>

namespace headscope {

/// The tokenizer of a GGUF's metadata as the text of a tokenizer.json. Fails when its kind is
/// unknown; `source` names the file in error messages.
Result<RewrittenTokenizer> ggufTokenizer(JsonValue metadata, std::string_view source);

} // namespace headscope

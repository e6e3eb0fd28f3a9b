#pragma once

#include "core/export/formats/gguf_file.h"

#include <vector>

namespace headscope {

/// Adds a tokenizer to the metadata of a GGUF: its tokenizer.json, and the lists that llama.cpp
/// reads. False when it has no lists for this kind of tokenizer, which are then left out.
bool addGgufTokens(const GgufTokenizer& tokenizer, std::vector<GgufEntry>& metadata);

} // namespace headscope

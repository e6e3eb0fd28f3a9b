#pragma once

#include "core/io/gguf_writer.h"

#include <string>
#include <vector>

namespace headscope {

/// Adds a tokenizer.json to the metadata of a GGUF: the text itself, and the lists that llama.cpp
/// reads. False when it has no lists for this kind of tokenizer, which are then left out.
bool addGgufTokens(const std::string& tokenizer_json, std::vector<GgufEntry>& metadata);

} // namespace headscope

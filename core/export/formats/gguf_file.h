#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/io/gguf_writer.h"
#include "core/loading/gguf_twin.h"
#include "core/model/model.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

struct WrittenGguf {
    std::size_t tensors = 0;
    std::size_t predicted_bytes = 0; ///< before anything was written
    std::string note; ///< on the tokenizer and on what llama.cpp may compute otherwise, sentences
};

/// The tokenizer of a model.
struct GgufTokenizer {
    std::string json;           ///< of tokenizer.json; empty without
    std::optional<TokenId> bos; ///< with which prompts begin; nothing where they have none
    std::string note;           ///< why there is no json, a sentence
};

/// The token with which prompts of a model begin by bosRule().
std::optional<TokenId> bosOf(const Model& model);

/// Writes a model as a GGUF file: matrices in `format` (float16 where rows are no whole blocks of
/// it), without one in that of their TensorInfo; vectors and positions in float32; the tokenizer as
/// a whole and, where GGUF has its kind, as lists. The file is written whole or not at all; not
/// when `inspect`, which is shown it before it is put in place, fails.
Result<WrittenGguf> writeGgufFile(const std::filesystem::path& path, const GgufTwin& twin,
                                  std::optional<GgufFormat> format, const GgufTokenizer& tokenizer,
                                  const Progress& progress = {}, const std::stop_token& stop = {},
                                  const InspectFile& inspect = {});

/// The format that keeps the numbers of a tensor as they are.
GgufFormat ggufFormatOf(const TensorInfo& tensor);

/// Adds a tokenizer to the metadata of a GGUF: its tokenizer.json, and the lists that llama.cpp
/// reads. False when it has no lists for this kind of tokenizer, which are then left out.
bool addGgufTokens(const GgufTokenizer& tokenizer, std::vector<GgufEntry>& metadata);

} // namespace headscope

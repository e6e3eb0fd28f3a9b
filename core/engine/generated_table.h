#pragma once

#include "core/base/table.h"
#include "core/engine/generate.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <span>

namespace headscope {

/// One row per token: position, id, piece, probability. Fields: text (of the new tokens),
/// temperature, seed. The rows are "tokens"; the whole text stands in the caption.
Table generatedTable(const Model& model, const Prompt& prompt,
                     std::span<const GeneratedToken> tokens, const GenerateOptions& options,
                     const Provenance& provenance);

} // namespace headscope

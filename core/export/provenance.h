#pragma once

#include "core/base/table.h"
#include "core/engine/head_mask.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <string>
#include <vector>

namespace headscope {

Provenance provenanceOf(const Model& model, const Prompt& prompt, const HeadMask& mask);
/// The provenance of numbers that belong to the model and to no single prompt.
Provenance provenanceOf(const Model& model);

/// What was measured on, for a note or a caption: the text "…" and "…"; of prompts that were given
/// as ids, the ids 1,2 and 3.
std::string promptsNote(const std::vector<std::string>& texts, const std::vector<std::string>& ids);

} // namespace headscope

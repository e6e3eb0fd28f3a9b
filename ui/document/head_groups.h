#pragma once

#include "core/base/layer_head.h"
#include "core/heads/head_score.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <vector>

namespace headscope::ui {

// Heads that are ablated together.

/// Those that the layer still has.
std::vector<LayerHead> headsOfLayer(const ModelSpec& spec, std::size_t layer);

/// The heads that these scores label with a type.
std::vector<LayerHead> headsOfType(const HeadScores& scores, HeadTypeId type,
                                   const Thresholds& thresholds);

} // namespace headscope::ui

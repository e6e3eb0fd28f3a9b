#pragma once

#include "core/base/layer_head.h"
#include "core/engine/run.h"
#include "core/export/named_array.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Which heads' patterns to write.
struct PatternSelection {
    std::optional<std::size_t> layer; ///< none: all layers
    std::optional<std::size_t> head;  ///< none: all heads of the layer(s)
};

/// One head: "blocks.4.attn.hook_pattern.1" [query, key]; else "blocks.4.attn.hook_pattern" [head,
/// query, key] per layer; and "input_ids" [position]. The selection must be inside the run.
std::vector<NamedArray> patternArrays(const Run& run, const PatternSelection& selection);

/// [query, key] of one head: something else than its pattern.
using HeadMap = std::function<Tensor(LayerHead)>;

/// The same of another map, by the name that takes the place of "hook_pattern":
/// "blocks.4.attn.value_weighted.1".
std::vector<NamedArray> mapArrays(const Run& run, const PatternSelection& selection,
                                  const std::string& map_name, const HeadMap& map);

/// "gpt2-mini-6l_1a2b3c4d_L04H01_pattern.npz"; of a layer "…_L04_pattern.npz", of all heads
/// "…_pattern.npz", and of another map "…_L04H01_value_weighted.npz". `extension` begins with its
/// dot.
std::string patternFileName(const Provenance& provenance, const PatternSelection& selection,
                            std::string_view extension, std::string_view map_name = "pattern");

} // namespace headscope

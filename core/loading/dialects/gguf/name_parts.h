#pragma once

#include <string>

namespace headscope {

/// A tensor's name taken apart: "blk.3.attn_q.weight" to "blk.{}.attn_q", "3" and ".weight", and
/// "model.layers.3.mlp.up_proj.weight" likewise.
struct NameParts {
    std::string stem;
    std::string layer; ///< empty outside of the layers
    std::string ending;
};
NameParts partsOf(const std::string& name);

} // namespace headscope

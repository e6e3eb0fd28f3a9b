#pragma once

#include "core/loading/architectures/architecture.h"

namespace headscope {

/// How the matrices of a network with TransformerLens's names lie; these are its own of today.
struct HookedLayouts {
    Layout W_E = Layout::AsStored;   ///< [d_vocab, d_model]
    Layout W_pos = Layout::AsStored; ///< [n_ctx, d_model]
    Layout W_U = Layout::Transposed; ///< [d_model, d_vocab_out]
    Layout heads = Layout::PerHead;  ///< of W_Q, W_K and W_V: [head, d_model, d_head]
    Layout W_O = Layout::PerHead;    ///< [head, d_head, d_model]
    Layout mlp = Layout::AsStored;   ///< [d_model, d_mlp], of W_out [d_mlp, d_model]
};

/// TransformerLens's forerunners had other layouts, which shapes tell; a matrix that is square lies
/// as in the one of them that fits all others. Fails where several do and differ in that.
HookedLayouts hookedLayouts(ConfigReader& config, const TensorSource& file, const ModelSpec& spec);

} // namespace headscope

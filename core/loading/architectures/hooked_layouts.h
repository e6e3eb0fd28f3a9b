#pragma once

#include "core/loading/architectures/architecture.h"

namespace headscope {

/// How the matrices of a network with TransformerLens's names are stored; by default as today.
struct HookedLayouts {
    Layout W_E = Layout::AsStored;   ///< [d_vocab, d_model]
    Layout W_pos = Layout::AsStored; ///< [n_ctx, d_model]
    Layout W_U = Layout::Transposed; ///< [d_model, d_vocab_out]
    Layout heads = Layout::PerHead;  ///< of W_Q, W_K and W_V: [head, d_model, d_head]
    Layout W_O = Layout::PerHead;    ///< [head, d_head, d_model]
    Layout mlp = Layout::AsStored;   ///< [d_model, d_mlp], of W_out [d_mlp, d_model]
};

/// The programs before TransformerLens had other layouts, which shapes tell; a square matrix is
/// taken to be stored as in the one of them that fits all other matrices. Fails where several fit
/// and differ in it.
HookedLayouts hookedLayouts(ConfigReader& config, const TensorSource& file, const ModelSpec& spec);

} // namespace headscope

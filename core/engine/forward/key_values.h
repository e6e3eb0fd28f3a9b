#pragma once

#include "core/base/token_id.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace headscope {

/// Keys and values of the tokens that a causal network has read, so that the tokens after them cost
/// no more than their own. Empty at first; a run that is given it as RunItem::earlier reads its
/// prompt behind these tokens and, when it succeeds, adds it to them. For one run at a time.
struct KeyValues {
    struct Layer {
        Tensor k; ///< [token, kv_head, d_head], after norm and rotary
        Tensor v; ///< [token, kv_head, d_head_v]
    };

    /// With room for `room` tokens.
    KeyValues(std::shared_ptr<const Model> of, std::size_t room);

    std::size_t room() const { return room_; }

    std::shared_ptr<const Model> model;
    TokenIds ids; ///< whose keys and values these are
    std::vector<Layer> layers;

private:
    std::size_t room_;
};

/// Whether keys of a text of `before` tokens are the same in one of `after` tokens. Rotary
/// positions that are stretched by the length of the text turn them otherwise.
bool keepsKeys(const ModelSpec& spec, std::size_t before, std::size_t after);

} // namespace headscope

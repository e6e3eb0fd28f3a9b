#include "core/engine/forward/key_values.h"

#include "core/model/rotary_frequencies.h"

#include <utility>

namespace headscope {

KeyValues::KeyValues(std::shared_ptr<const Model> of, std::size_t room)
    : model(std::move(of)), room_(room) {
    const ModelSpec& spec = model->spec;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        layers.push_back({Tensor::uninitialised({room, spec.kvHeadsIn(layer), spec.d_head}),
                          Tensor::uninitialised({room, spec.kvHeadsIn(layer), spec.valueDim()})});
}

bool keepsKeys(const ModelSpec& spec, std::size_t before, std::size_t after) {
    const auto keeps = [&](const RotarySpec& rotary) {
        return rotaryFrequencies(rotary, before) == rotaryFrequencies(rotary, after);
    };
    return spec.positions != PositionKind::Rotary ||
           (keeps(spec.rotary) && (!spec.window_rotary || keeps(*spec.window_rotary)));
}

} // namespace headscope

#include "core/engine/run_item.h"

#include "core/model/rotary_frequencies.h"

#include <algorithm>
#include <string>
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

namespace {

Error cannotBegin(std::string why) {
    return {ErrorCode::InvalidArgument,
            "The start of the prompt cannot be taken over from another run: " + std::move(why) +
                "; run the whole prompt."};
}

std::size_t commonTokens(const TokenIds& a, const TokenIds& b) {
    return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

bool keptValues(const Run& run) {
    const ModelSpec& spec = run.model->spec;
    if (run.attention.size() != spec.n_layers)
        return false;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (spec.headsIn(layer) > 0 && run.attention[layer].v.empty())
            return false;
    return true;
}

} // namespace

KnownStart knownStart(const std::shared_ptr<const Run>& run, const TokenIds& ids) {
    const std::size_t common = run ? commonTokens(run->ids, ids) : 0;
    if (common < 2)
        return {};
    const KnownStart known{run, common - 1};
    return checkKnownStart(known, *run->model, ids) ? known : KnownStart{};
}

Result<void> checkKnownStart(const KnownStart& known, const Model& model, const TokenIds& ids) {
    const Run& run = *known.run;
    if (run.model.get() != &model)
        return cannotBegin("it was one of another model");
    if (!model.spec.causal)
        return cannotBegin(model.name + " reads both ways, so that later tokens change it");
    if (known.positions >= ids.size() || commonTokens(run.ids, ids) < known.positions)
        return cannotBegin("of its first " + std::to_string(known.positions) +
                           " tokens and one more the two have " +
                           std::to_string(commonTokens(run.ids, ids)) + " in common");
    if (!keptValues(run))
        return cannotBegin("that run did not keep its values");
    if (!keepsKeys(model.spec, run.positions(), ids.size()))
        return cannotBegin("the positions of " + model.name +
                           " are stretched by the length of the text");
    return {};
}

} // namespace headscope

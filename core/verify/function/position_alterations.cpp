#include "core/verify/function/position_alterations.h"

#include "core/base/text.h"
#include "core/verify/function/weight_order.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// Both of the rotations that layers may have.
template <class Change>
void changeRotary(Model& model, Change change) {
    change(model.spec.rotary);
    if (model.spec.window_rotary)
        change(*model.spec.window_rotary);
}

void addRotaryBases(std::vector<Alteration>& alterations, const ModelSpec& spec) {
    for (const double base : {10'000.0, 100'000.0, 500'000.0, 1'000'000.0})
        if (!isNear(base, spec.rotary.base))
            alterations.push_back({"the rotary base " + fixedText(base, 0) + " in place of " +
                                       fixedText(spec.rotary.base, 0),
                                   [base](Model& model) {
                                       changeRotary(
                                           model, [&](RotarySpec& rotary) { rotary.base = base; });
                                   }});
}

void addRotaryWidths(std::vector<Alteration>& alterations, const ModelSpec& spec) {
    for (const std::size_t part : {1U, 2U, 4U}) {
        const std::size_t width = spec.d_head / part;
        if (width == spec.rotary.d_rotary || width % 2 != 0 || width == 0 ||
            !spec.rotary.long_factors.empty())
            continue;
        alterations.push_back({std::to_string(width) + " rotated dimensions in place of " +
                                   std::to_string(spec.rotary.d_rotary),
                               [width](Model& model) {
                                   changeRotary(
                                       model, [&](RotarySpec& rotary) { rotary.d_rotary = width; });
                               }});
    }
}

Alteration unrotated(const ModelSpec& spec) {
    return {"queries and keys not rotated",
            [all = sameOrder(spec.n_layers)](Model& model) { model.spec.unrotated_layers = all; },
            {},
            "the rotation of queries and keys changes nothing, as if all tokens had one position"};
}

/// Row r becomes that of r + by; rows that leave at one end come back at the other.
Alteration movedPositions(std::size_t rows, std::string name, std::ptrdiff_t by) {
    Order order = sameOrder(rows);
    if (rows > 2)
        std::rotate(order.begin(), by >= 0 ? order.begin() + by : order.end() + by, order.end());
    return {std::move(name), [order](Model& model) { reorderRows(model.weights.W_pos, order); }};
}

} // namespace

AlterationKind rotations(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Another rotation of queries and keys", {}, {}};
    if (spec.positions != PositionKind::Rotary) {
        kind.none = "Positions of this network are not rotary.";
        return kind;
    }
    const bool halves = spec.rotary.pairs == RotaryPairs::Halves;
    kind.alterations = {{halves ? "rotary pairs of neighbours in place of halves"
                                : "rotary pairs of halves in place of neighbours",
                         [halves](Model& altered) {
                             changeRotary(altered, [&](RotarySpec& rotary) {
                                 rotary.pairs =
                                     halves ? RotaryPairs::Adjacent : RotaryPairs::Halves;
                             });
                         }},
                        unrotated(spec)};
    addRotaryBases(kind.alterations, spec);
    addRotaryWidths(kind.alterations, spec);
    if (spec.rotary.scaling != RotaryScalingKind::None)
        kind.alterations.push_back({"rotary positions not scaled", [](Model& altered) {
                                        changeRotary(altered, [](RotarySpec& rotary) {
                                            rotary.scaling = RotaryScalingKind::None;
                                            rotary.amplitude = 1.0;
                                        });
                                    }});
    return kind;
}

AlterationKind positions(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Positions moved", {}, {}};
    if (!spec.hasPositionTable()) {
        kind.none = "Positions of this network have no table.";
        return kind;
    }
    const std::size_t rows = model.weights.W_pos.dim(0);
    kind.alterations = {
        movedPositions(rows, "positions one later", 1),
        movedPositions(rows, "positions two later", 2),
        movedPositions(rows, "positions one earlier", -1),
        {"all tokens at one position",
         [order = Order(rows, std::min(spec.position_offset, rows - 1))](Model& altered) {
             reorderRows(altered.weights.W_pos, order);
         },
         {},
         "all positions have the same embedding, so that the network cannot tell the order of "
         "tokens"}};
    return kind;
}

} // namespace headscope

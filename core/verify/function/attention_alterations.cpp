#include "core/verify/function/attention_alterations.h"

#include "core/base/text.h"
#include "core/verify/function/weight_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// Whether all layers have all heads, so that one order of columns suits all.
bool hasEveryHead(const ModelSpec& spec) {
    return spec.kept_heads.empty() && spec.pruned_heads.empty() && spec.absent.attention.empty();
}
/// Why columns of queries, keys and values have no other order; null where they have one.
const char* whyUnordered(const ModelSpec& spec) {
    if (spec.latent)
        return "Latent attention makes queries, keys and values of latent vectors, not by matrices "
               "of one width.";
    return hasEveryHead(spec) ? nullptr
                              : "Heads were removed from this network, so that its layers differ.";
}

bool hasOneKvHeadEach(const ModelSpec& spec) {
    return spec.n_kv_heads == spec.n_heads;
}
bool hasSquareHeads(const ModelSpec& spec) {
    return spec.valueDim() == spec.d_head;
}

/// Columns of W_QKV where queries, keys or values begin.
std::size_t keysBegin(const ModelSpec& spec) {
    return spec.queryWidth();
}
std::size_t valuesBegin(const ModelSpec& spec) {
    return spec.queryWidth() + spec.keyWidth();
}

void reorderQkv(Model& model, const Order& order) {
    for (LayerWeights& layer : model.weights.layers) {
        reorderColumns(layer.attn.W_QKV, order);
        reorderVector(layer.attn.b_QKV, order);
    }
}

void reorderOutput(Model& model, const Order& order) {
    for (LayerWeights& layer : model.weights.layers)
        reorderRows(layer.attn.W_O, order);
}

/// Two of the blocks of queries, keys and values, of which all are equally wide.
Alteration exchangedBlocks(const ModelSpec& spec, const std::string& name, std::size_t first,
                           std::size_t second, bool with_norms) {
    Order blocks = sameOrder(3);
    std::swap(blocks[first], blocks[second]);
    return {name, [order = blockOrder(blocks, spec.queryWidth()), with_norms](Model& model) {
                reorderQkv(model, order);
                for (LayerWeights& layer : model.weights.layers)
                    if (with_norms)
                        std::swap(layer.attn.q_norm, layer.attn.k_norm);
            }};
}

/// An order of some of the columns of W_QKV.
Alteration reorderedColumns(const ModelSpec& spec, std::string name, std::size_t begin,
                            const Order& part) {
    Order order = sameOrder(spec.qkvWidth());
    setPart(order, begin, part);
    return {std::move(name), [order](Model& model) { reorderQkv(model, order); }};
}

struct NamedOrder {
    std::string name;
    Order heads;
};

/// One head on, one back, the other way round.
std::vector<NamedOrder> headOrdersOf(std::size_t heads) {
    Order later = sameOrder(heads);
    Order earlier = later;
    Order reversed = later;
    std::rotate(later.begin(), later.begin() + 1, later.end());
    std::rotate(earlier.begin(), earlier.end() - 1, earlier.end());
    std::ranges::reverse(reversed);
    std::vector<NamedOrder> orders{{"one head later", later}};
    if (heads > 2) {
        orders.push_back({"one head earlier", earlier});
        orders.push_back({"in reverse order of heads", reversed});
    }
    return orders;
}

void addMovedHeads(std::vector<Alteration>& alterations, const ModelSpec& spec) {
    if (spec.n_kv_heads > 1)
        for (const auto& [name, heads] : headOrdersOf(spec.n_kv_heads)) {
            alterations.push_back(reorderedColumns(spec, "keys " + name, keysBegin(spec),
                                                   blockOrder(heads, spec.d_head)));
            alterations.push_back(reorderedColumns(spec, "values " + name, valuesBegin(spec),
                                                   blockOrder(heads, spec.valueDim())));
        }
    for (const auto& [name, heads] : headOrdersOf(spec.n_heads)) {
        alterations.push_back(
            reorderedColumns(spec, "queries " + name, 0, blockOrder(heads, spec.d_head)));
        alterations.push_back(
            {"rows of W_O " + name, [order = blockOrder(heads, spec.valueDim())](Model& model) {
                 reorderOutput(model, order);
             }});
    }
}

/// Exchanges heads of W_O: every pair in a network of a few heads, else neighbours.
void addExchangedHeads(std::vector<Alteration>& alterations, const ModelSpec& spec) {
    constexpr std::size_t kFew = 8;
    const std::size_t reach = spec.n_heads <= kFew ? spec.n_heads : 1;
    for (std::size_t a = 0; a < spec.n_heads && spec.n_heads > 2; ++a)
        for (std::size_t b = a + 1; b < spec.n_heads && b <= a + reach; ++b) {
            Order heads = sameOrder(spec.n_heads);
            std::swap(heads[a], heads[b]);
            alterations.push_back(
                {"heads " + std::to_string(a) + " and " + std::to_string(b) + " of W_O exchanged",
                 [order = blockOrder(heads, spec.valueDim())](Model& model) {
                     reorderOutput(model, order);
                 }});
        }
}

/// The numbers of a head are apart: first come the first numbers of all heads.
void addInterleavedHeads(std::vector<Alteration>& alterations, const ModelSpec& spec) {
    const std::size_t q = spec.n_heads;
    const std::size_t kv = spec.n_kv_heads;
    const std::size_t d = spec.d_head;
    const std::size_t d_v = spec.valueDim();
    if (d == 1)
        return;
    for (const bool back : {false, true}) {
        const auto part = [&](std::size_t heads, std::size_t width) {
            return back ? transposedOrder(width, heads) : transposedOrder(heads, width);
        };
        const std::string how =
            back ? "taken dimension by dimension" : "laid out dimension by dimension";
        Order qkv = sameOrder(spec.qkvWidth());
        setPart(qkv, 0, part(q, d));
        setPart(qkv, keysBegin(spec), part(kv, d));
        setPart(qkv, valuesBegin(spec), part(kv, d_v));
        alterations.push_back({"the heads of queries, keys and values " + how,
                               [qkv](Model& model) { reorderQkv(model, qkv); }});
        alterations.push_back({"the heads of W_O " + how, [order = part(q, d_v)](Model& model) {
                                   reorderOutput(model, order);
                               }});
    }
}

/// Fused matrices have queries, keys and values of each head together, or all queries first.
void addFusedOrders(std::vector<Alteration>& alterations, const ModelSpec& spec) {
    if (!hasOneKvHeadEach(spec) || !hasSquareHeads(spec))
        return;
    constexpr std::size_t kParts = 3;
    alterations.push_back({"queries, keys and values of each head taken from one place",
                           [order = blockOrder(transposedOrder(spec.n_heads, kParts), spec.d_head)](
                               Model& model) { reorderQkv(model, order); }});
    alterations.push_back({"queries, keys and values of each head put into one place",
                           [order = blockOrder(transposedOrder(kParts, spec.n_heads), spec.d_head)](
                               Model& model) { reorderQkv(model, order); }});
}

/// Which query heads share keys and values: neighbours, or every n_kv-th.
void addGroupOrders(std::vector<Alteration>& alterations, const ModelSpec& spec) {
    const std::size_t kv = spec.n_kv_heads;
    const std::size_t group = spec.headsPerGroup();
    if (kv == 1 || group == 1)
        return;
    for (const bool back : {false, true}) {
        const Order heads = back ? transposedOrder(group, kv) : transposedOrder(kv, group);
        if (back && kv == group)
            continue;
        Order qkv = sameOrder(spec.qkvWidth());
        setPart(qkv, 0, blockOrder(heads, spec.d_head));
        const Order rows = blockOrder(heads, spec.valueDim());
        alterations.push_back({back ? "query heads regrouped the other way"
                                    : "query heads that share keys and values regrouped",
                               [qkv, rows](Model& model) {
                                   reorderQkv(model, qkv);
                                   reorderOutput(model, rows);
                               }});
    }
}

double usualScale(const ModelSpec& spec) {
    return 1.0 / std::sqrt(static_cast<double>(spec.d_head));
}

/// `times` as many heads, each so much narrower; or so many fewer, for times < 1.
void multiplyHeads(ModelSpec& spec, std::size_t times, std::size_t divided) {
    const bool usual = isNear(spec.attention_scale.front(), usualScale(spec));
    const auto more = [&](std::size_t& count) { count = count * times / divided; };
    const auto narrower = [&](std::size_t& width) { width = width * divided / times; };
    more(spec.n_heads);
    more(spec.n_kv_heads);
    narrower(spec.d_head);
    narrower(spec.d_head_v);
    narrower(spec.rotary.d_rotary);
    if (spec.window_rotary)
        narrower(spec.window_rotary->d_rotary);
    if (usual)
        std::ranges::fill(spec.attention_scale, usualScale(spec));
}

bool canMultiplyHeads(const ModelSpec& spec, std::size_t times, std::size_t divided) {
    const auto divides = [](std::size_t number, std::size_t by) { return number % by == 0; };
    const std::size_t pair = spec.positions == PositionKind::Rotary ? 2 : 1;
    return divides(spec.n_heads, divided) && divides(spec.n_kv_heads, divided) &&
           divides(spec.d_head, times) && divides(spec.d_head_v, times) &&
           divides(spec.rotary.d_rotary, times * pair) && spec.d_head > times;
}

} // namespace

AlterationKind exchangedProjections(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Queries, keys and values exchanged", {}, {}};
    if (const char* const why = whyUnordered(spec)) {
        kind.none = why;
        return kind;
    }
    if (hasOneKvHeadEach(spec) && hasSquareHeads(spec)) {
        kind.alterations = {exchangedBlocks(spec, "queries and keys exchanged", 0, 1, true),
                            exchangedBlocks(spec, "keys and values exchanged", 1, 2, false),
                            exchangedBlocks(spec, "queries and values exchanged", 0, 2, false)};
        return kind;
    }
    if (!hasSquareHeads(spec)) {
        kind.none =
            "Queries, keys and values differ in width, so that a file cannot exchange them.";
        return kind;
    }
    Order part = sameOrder(spec.keyWidth() + spec.valueWidth());
    std::rotate(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(spec.keyWidth()),
                part.end());
    kind.alterations = {reorderedColumns(spec, "keys and values exchanged", keysBegin(spec), part)};
    return kind;
}

AlterationKind transposedProjections(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Square matrices transposed", {}, {}};
    if (const char* const why = whyUnordered(spec)) {
        kind.none = why;
        return kind;
    }
    const auto transposeO = [](Model& altered) {
        for (LayerWeights& layer : altered.weights.layers)
            transpose(layer.attn.W_O);
    };
    const auto transposeQkv = [keys = spec.keyWidth() == spec.d_model,
                               values = spec.valueWidth() == spec.d_model](Model& altered) {
        const ModelSpec& shape = altered.spec;
        for (LayerWeights& layer : altered.weights.layers) {
            transposeColumns(layer.attn.W_QKV, 0, shape.d_model);
            if (keys)
                transposeColumns(layer.attn.W_QKV, keysBegin(shape), shape.d_model);
            if (values)
                transposeColumns(layer.attn.W_QKV, valuesBegin(shape), shape.d_model);
        }
    };
    const bool square_q = spec.queryWidth() == spec.d_model;
    const bool square_o = spec.zWidth() == spec.d_model;
    const bool square_kv = square_q && spec.keyWidth() == spec.d_model;
    if (square_o)
        kind.alterations.push_back({"W_O transposed", transposeO});
    if (square_q)
        kind.alterations.push_back(
            {square_kv ? "W_Q, W_K and W_V transposed" : "W_Q transposed", transposeQkv});
    if (square_o && square_q)
        kind.alterations.push_back(
            {"all square matrices of attention transposed", [=](Model& altered) {
                 transposeO(altered);
                 transposeQkv(altered);
             }});
    kind.none = "No matrix of attention is square, so that the wrong way round would not fit.";
    return kind;
}

AlterationKind headOrders(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Heads in another order", {}, {}};
    if (const char* const why = whyUnordered(spec))
        kind.none = why;
    else if (spec.n_heads == 1)
        kind.none = "A layer has one head.";
    else {
        addMovedHeads(kind.alterations, spec);
        addExchangedHeads(kind.alterations, spec);
        addInterleavedHeads(kind.alterations, spec);
        addFusedOrders(kind.alterations, spec);
        addGroupOrders(kind.alterations, spec);
    }
    return kind;
}

AlterationKind headCounts(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Another number of heads", {}, {}};
    if (const char* const why = whyUnordered(spec)) {
        kind.none = why;
        return kind;
    }
    if (spec.positions == PositionKind::Alibi || spec.learned_sinks || spec.relative_buckets != 0 ||
        (spec.qk_norm != QkNorm::None && !spec.hasQkGainsByHead()) || spec.qk_norm_gains_by_head ||
        !spec.rotary.long_factors.empty()) {
        kind.none = "Each head has numbers of its own in the file, which say how many there are.";
        return kind;
    }
    kind.none = "The widths of this network allow no other number.";
    constexpr std::array<std::pair<std::size_t, std::size_t>, 4> kTimes{
        {{2, 1}, {4, 1}, {1, 2}, {1, 4}}};
    for (const auto& [times, divided] : kTimes)
        if (canMultiplyHeads(spec, times, divided))
            kind.alterations.push_back({std::to_string(spec.n_heads * times / divided) +
                                            " heads in place of " + std::to_string(spec.n_heads),
                                        [times = times, divided = divided](Model& altered) {
                                            multiplyHeads(altered.spec, times, divided);
                                        }});
    return kind;
}

AlterationKind attentionScales(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Another scale of attention", {}, {}};
    const bool usual = isNear(spec.attention_scale.front(), usualScale(spec));
    kind.alterations = {
        {usual ? "scores of attention not divided by the root of d_head"
               : "scores of attention divided by the root of d_head and by nothing else",
         [scale = usual ? 1.0 : usualScale(spec)](Model& altered) {
             std::ranges::fill(altered.spec.attention_scale, scale);
         }}};
    // The other way round, weaker scores in later layers make some honest models better on texts
    // that they do not know.
    if (spec.n_layers > 1 && isNear(spec.attention_scale[1], spec.attention_scale[0] / 2.0))
        kind.alterations.push_back(
            {"scores of attention not divided by the number of the layer", [](Model& altered) {
                 for (std::size_t layer = 0; layer < altered.spec.n_layers; ++layer)
                     altered.spec.attention_scale[layer] *= static_cast<double>(layer + 1);
             }});
    if (spec.attention_softcap != 0.0)
        kind.alterations.push_back({"scores of attention not capped",
                                    [](Model& altered) { altered.spec.attention_softcap = 0.0; }});
    return kind;
}

AlterationKind masks(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Another mask of attention", {}, {}};
    if (!spec.causal)
        kind.alterations.push_back({"queries that see no later token",
                                    [](Model& altered) { altered.spec.causal = true; }});
    const auto full = static_cast<std::size_t>(std::ranges::count(spec.windows, std::size_t{0}));
    if (full < spec.windows.size())
        kind.alterations.push_back({"no window in any layer", [](Model& altered) {
                                        altered.spec.windows.clear();
                                        altered.spec.window_rotary.reset();
                                    }});
    kind.none = "Queries see all earlier tokens, and seeing later ones would lower the loss of any "
                "network.";
    return kind;
}

} // namespace headscope

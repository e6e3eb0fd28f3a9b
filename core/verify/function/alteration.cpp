#include "core/verify/function/alteration.h"

#include "core/base/text.h"
#include "core/model/prompt.h"
#include "core/model/weight_role.h"
#include "core/verify/checks/check.h"
#include "core/verify/function/attention_alterations.h"
#include "core/verify/function/position_alterations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace headscope {

namespace {

AlterationKind epsilons(const Model& model) {
    AlterationKind kind{"Another epsilon of the norms", {}, {}};
    if (model.spec.norm_placement == NormPlacement::None && !model.spec.final_norm) {
        kind.none = "This network has no norms.";
        return kind;
    }
    for (const double factor : {10.0, 0.1, 1000.0, 0.001}) {
        const double eps = model.spec.norm.eps * factor;
        kind.alterations.push_back(
            {"the epsilon " + figureText(eps) + " in place of " + figureText(model.spec.norm.eps),
             [eps](Model& altered) { altered.spec.norm.eps = eps; }});
    }
    return kind;
}

void addToGains(Model& model, float addend) {
    constexpr std::array kGains{WeightRole::Ln1Weight,     WeightRole::Ln1PostWeight,
                                WeightRole::Ln2Weight,     WeightRole::Ln2PostWeight,
                                WeightRole::LnFinalWeight, WeightRole::QNormWeight,
                                WeightRole::KNormWeight};
    for (const WeightRole role : kGains) {
        const RoleInfo& info = roleInfo(role);
        for (std::size_t layer = 0; layer < (info.isPerLayer() ? model.spec.n_layers : 1); ++layer)
            for (float& gain : std::get<Tensor*>(info.tensor.edit(model.weights, layer))->values())
                gain += addend;
    }
}

bool hasGains(const Model& model) {
    return !model.weights.ln_final.weight.empty() ||
           std::ranges::any_of(model.weights.layers,
                               [](const LayerWeights& layer) { return !layer.ln1.weight.empty(); });
}

AlterationKind norms(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Other norms", {}, {}};
    if (spec.norm_placement == NormPlacement::None && !spec.final_norm) {
        kind.none = "This network has no norms.";
        return kind;
    }
    const bool layer_norm = spec.norm.kind == NormKind::LayerNorm;
    kind.alterations.push_back(
        {layer_norm ? "RMSNorm in place of LayerNorm" : "LayerNorm in place of RMSNorm",
         [layer_norm](Model& altered) {
             altered.spec.norm.kind = layer_norm ? NormKind::RmsNorm : NormKind::LayerNorm;
         }});
    if (hasGains(model)) {
        kind.alterations.push_back(
            {"1 added to the gains of norms", [](Model& altered) { addToGains(altered, 1.0f); }});
        kind.alterations.push_back({"1 taken from the gains of norms",
                                    [](Model& altered) { addToGains(altered, -1.0f); }});
    }
    if (spec.final_norm && spec.norm_placement != NormPlacement::Post)
        kind.alterations.push_back({"no norm after the last layer",
                                    [](Model& altered) { altered.spec.final_norm = false; }});
    return kind;
}

const char* activationText(Activation activation) {
    switch (activation) {
    case Activation::Relu:
        return "ReLU";
    case Activation::ReluSquared:
        return "ReLU squared";
    case Activation::GeluErf:
        return "GELU by erf";
    case Activation::GeluTanh:
        return "GELU by tanh";
    case Activation::QuickGelu:
        return "quick GELU";
    case Activation::Silu:
        return "SiLU";
    case Activation::Solu:
        return "SoLU";
    }
    return "";
}

AlterationKind activations(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Another activation", {}, {}};
    if (spec.mlp == MlpKind::None || spec.activation == Activation::Solu) {
        kind.none = spec.mlp == MlpKind::None ? "This network has no MLP."
                                              : "SoLU comes with a norm of its own.";
        return kind;
    }
    for (const Activation other : {Activation::Relu, Activation::ReluSquared, Activation::GeluErf,
                                   Activation::GeluTanh, Activation::QuickGelu, Activation::Silu})
        if (other != spec.activation)
            kind.alterations.push_back({std::string(activationText(other)) + " in place of " +
                                            activationText(spec.activation),
                                        [other](Model& altered) {
                                            // A masked-LM head keeps its own.
                                            altered.spec.head_activation =
                                                altered.spec.headActivation();
                                            altered.spec.activation = other;
                                        }});
    return kind;
}

AlterationKind gates(const Model& model) {
    AlterationKind kind{"Gate and input of the MLP exchanged", {}, {}};
    if (model.spec.mlp != MlpKind::Gated) {
        kind.none = "This network has no gated MLP.";
        return kind;
    }
    kind.alterations = {{"gate and input of the MLP exchanged", [](Model& altered) {
                             const auto exchange = [](auto& weights) {
                                 std::swap(weights.W_gate, weights.W_in);
                                 if (!weights.b_gate.empty() && !weights.b_in.empty())
                                     std::swap(weights.b_gate, weights.b_in);
                             };
                             for (LayerWeights& layer : altered.weights.layers) {
                                 exchange(layer.mlp);
                                 exchange(layer.experts);
                                 exchange(layer.experts.shared);
                             }
                         }}};
    return kind;
}

AlterationKind branches(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Attention and MLP one after the other or side by side", {}, {}};
    if (spec.mlp == MlpKind::None)
        kind.none = "This network has no MLP.";
    else if (spec.norm_placement != NormPlacement::Pre)
        kind.none = "Its norms do not come before what they feed, so that the two cannot be "
                    "side by side.";
    else
        kind.alterations = {{spec.parallel_residual ? "the MLP after attention, not beside it"
                                                    : "the MLP beside attention, not after it",
                             [](Model& altered) {
                                 altered.spec.parallel_residual = !altered.spec.parallel_residual;
                             }}};
    return kind;
}

bool sameShapes(const Model& model, std::size_t a, std::size_t b) {
    return std::ranges::all_of(weightRoles(), [&](const RoleInfo& role) {
        return !role.isPerLayer() || shapeOf(role.tensor.read(model.weights, a)) ==
                                         shapeOf(role.tensor.read(model.weights, b));
    });
}

/// Every pair of a few layers, else neighbours.
AlterationKind layerOrders(const Model& model) {
    constexpr std::size_t kFew = 6;
    const std::size_t layers = model.spec.n_layers;
    AlterationKind kind{"Layers in another order", {}, {}};
    kind.none = layers == 1 ? "There is one layer." : "No two layers have the same shape.";
    const std::size_t reach = layers <= kFew ? layers : 1;
    for (std::size_t a = 0; a < layers; ++a)
        for (std::size_t b = a + 1; b < layers && b <= a + reach; ++b)
            if (sameShapes(model, a, b))
                kind.alterations.push_back(
                    {"layers " + std::to_string(a) + " and " + std::to_string(b) + " exchanged",
                     [a, b](Model& altered) {
                         std::swap(altered.weights.layers[a], altered.weights.layers[b]);
                     }});
    return kind;
}

AlterationKind embeddings(const Model& model) {
    const ModelSpec& spec = model.spec;
    AlterationKind kind{"Another embedding", {}, {}};
    const double root = std::sqrt(static_cast<double>(spec.d_model));
    const double scale = spec.embedding_scale == 1.0 ? root : 1.0;
    kind.alterations = {{"embeddings of tokens multiplied by " + fixedText(scale, 2) +
                             " in place of " + fixedText(spec.embedding_scale, 2),
                         [scale](Model& altered) { altered.spec.embedding_scale = scale; }}};
    if (!model.weights.W_U.empty() && model.weights.W_U.shape() == model.weights.W_E.shape())
        kind.alterations.push_back({"W_E in place of W_U", [](Model& altered) {
                                        altered.weights.W_U = {};
                                        altered.spec.tied_unembedding = true;
                                    }});
    if (spec.logit_softcap != 0.0)
        kind.alterations.push_back(
            {"logits not capped", [](Model& altered) { altered.spec.logit_softcap = 0.0; }});
    return kind;
}

/// The BOS token that passages of this model begin with.
std::optional<TokenId> bosOf(const Model& model) {
    return bosRule(model).add ? model.spec.bos_token : std::nullopt;
}

void leaveOutFirst(Passage& passage) {
    passage.ids.erase(passage.ids.begin());
    for (Target& target : passage.targets)
        target.position = target.position == 0 ? kNotPredicted : target.position - 1;
}

void putFirst(Passage& passage, TokenId id) {
    passage.ids.insert(passage.ids.begin(), id);
    for (Target& target : passage.targets)
        ++target.position;
}

/// Special tokens that a text could begin with in place of `bos`.
TokenIds otherBeginnings(const Model& model, std::optional<TokenId> bos) {
    constexpr std::size_t kMost = 6;
    TokenIds found;
    const auto add = [&](std::optional<TokenId> id) {
        if (id && id != bos && *id >= 0 && static_cast<std::size_t>(*id) < model.spec.d_vocab &&
            std::ranges::find(found, *id) == found.end() && found.size() < kMost)
            found.push_back(*id);
    };
    add(model.spec.bos_token);
    add(model.bos_facts.config_token);
    add(model.bos_facts.tokenizer_token);
    for (std::size_t id = 0; id < model.tokenizer->vocabularySize(); ++id)
        if (model.tokenizer->isSpecial(static_cast<TokenId>(id)))
            add(static_cast<TokenId>(id));
    return found;
}

AlterationKind beginnings(const Model& model) {
    AlterationKind kind{"Another beginning of texts", {}, {}};
    kind.none = "The tokenizer has no token that a text could begin with.";
    const auto bos = bosOf(model);
    if (bos)
        kind.alterations.push_back({"no BOS token in front", {}, leaveOutFirst});
    for (const TokenId id : otherBeginnings(model, bos))
        kind.alterations.push_back({"token " + idAndToken(model, id) + " in front" +
                                        (bos ? " in place of " + idAndToken(model, *bos) : ""),
                                    {},
                                    [id, replaces = bos.has_value()](Passage& passage) {
                                        if (replaces)
                                            passage.ids.front() = id;
                                        else
                                            putFirst(passage, id);
                                    }});
    return kind;
}

/// Changes all tokens but a mask.
template <class Change>
Alteration changedIds(const Model& model, std::string name, Change change) {
    return {std::move(name), {}, [mask = model.spec.mask_token, change](Passage& passage) {
                for (TokenId& id : passage.ids)
                    if (id != mask)
                        id = change(id);
                for (Target& target : passage.targets)
                    target.token = change(target.token);
            }};
}

Alteration movedIds(const Model& model, std::string name, std::size_t by) {
    return changedIds(model, std::move(name), [by, all = model.spec.d_vocab](TokenId id) {
        return static_cast<TokenId>((static_cast<std::size_t>(id) + by) % all);
    });
}

AlterationKind tokens(const Model& model) {
    return {"Tokens with other ids",
            {movedIds(model, "token ids one higher", 1),
             movedIds(model, "token ids one lower", model.spec.d_vocab - 1)},
            {},
            true};
}

} // namespace

Alteration exchangedTokens(const Model& model, TokenId first, TokenId second) {
    return changedIds(
        model,
        "the tokens " + idAndToken(model, first) + " and " + idAndToken(model, second) +
            " exchanged",
        [first, second](TokenId id) { return id == first ? second : (id == second ? first : id); });
}

std::vector<AlterationKind> alterationsOf(const Model& model) {
    return {tokens(model),
            beginnings(model),
            embeddings(model),
            positions(model),
            rotations(model),
            norms(model),
            epsilons(model),
            exchangedProjections(model),
            transposedProjections(model),
            headOrders(model),
            headCounts(model),
            attentionScales(model),
            masks(model),
            activations(model),
            gates(model),
            branches(model),
            layerOrders(model)};
}

std::shared_ptr<const Model> altered(const std::shared_ptr<const Model>& model,
                                     const Alteration& alteration) {
    if (!alteration.change)
        return model;
    auto copy = std::make_shared<Model>();
    copy->name = model->name;
    copy->spec = model->spec;
    copy->tokenizer = model->tokenizer;
    copy->bos_facts = model->bos_facts;
    copy->weights = borrowedWeights(model->weights, model);
    alteration.change(*copy);
    return copy;
}

bool isNear(double a, double b) {
    return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

} // namespace headscope

#pragma once

#include "core/model/model_spec.h"
#include "core/model/weights.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace headscope {

/// Every parameter a network can have. W_Q, W_K and W_V are columns of W_QKV; a file fills either
/// the three or the one.
enum class WeightRole {
    W_E,
    W_project_in,
    b_project_in,
    W_pos,
    W_token_type,
    W_task_type,
    W_rel_pos,
    LnEmbedWeight,
    LnEmbedBias,
    Ln1Weight,
    Ln1Bias,
    W_QKV,
    b_QKV,
    W_Q,
    b_Q,
    W_K,
    b_K,
    W_V,
    b_V,
    W_DQ,
    b_DQ,
    QLatentNormWeight,
    W_UQ,
    W_DKV,
    b_DKV,
    KvLatentNormWeight,
    W_KR,
    b_KR,
    W_UK,
    W_UV,
    QNormWeight,
    QNormBias,
    KNormWeight,
    KNormBias,
    W_O,
    b_O,
    Sinks,
    Ln1PostWeight,
    Ln2Weight,
    Ln2Bias,
    W_gate,
    b_gate,
    W_in,
    b_in,
    MlpNormWeight,
    MlpNormBias,
    W_out,
    b_out,
    W_router,
    b_router,
    b_choice,
    W_expert_gate,
    b_expert_gate,
    W_expert_in,
    b_expert_in,
    W_expert_out,
    b_expert_out,
    W_shared_router,
    W_shared_gate,
    W_shared_in,
    W_shared_out,
    Ln2PostWeight,
    LnFinalWeight,
    LnFinalBias,
    W_mlm,
    b_mlm,
    LnMlmWeight,
    LnMlmBias,
    W_project_out,
    W_U,
    b_U,
};

/// Sizes that the shapes of weights are made of.
enum class Dim {
    Zero,
    One,
    Vocab,
    Outputs,
    Embed,
    EmbeddingSum,
    Context,
    TokenTypes,
    TaskTypes,
    Buckets,
    Heads,      ///< of a layer that has all of its heads
    LayerHeads, ///< those that a layer has
    Model,
    Ln1, ///< d_model, 0 in a layer without that norm
    Query,
    Key,
    Value,
    Z,
    QueryKey,
    Qkv,
    QueryLatent, ///< 0 without one, as the next two
    KvLatent,
    SharedKey,
    QueryInput, ///< what queries are made of by one matrix
    OwnKey,     ///< of keys what each head has for itself
    QueryNorm,
    KeyNorm,
    Mlp,
    Experts,
    ExpertMlp,
    SharedMlp,
    SharedGate ///< 1 where there is a shared expert
};

/// `layer` counts where layers have different numbers of heads, or an MLP here and experts there.
std::size_t dimSize(Dim dim, const ModelSpec& spec, std::size_t layer = 0);

/// "d_model", "n_heads·d_head", …
std::string_view dimName(Dim dim, const ModelSpec& spec);

/// One tensor of Weights: a vector or a matrix. Not null.
using Parameter = std::variant<const Tensor*, const WeightTensor*>;
using EditedParameter = std::variant<Tensor*, WeightTensor*>;

const Shape& shapeOf(Parameter parameter);
std::size_t sizeOf(Parameter parameter);
/// All leading axes folded into rows; a vector is one row.
WeightMatrix matrixOf(Parameter parameter);

/// Finds one tensor in Weights; the layer counts only for tensors that every layer has.
struct TensorAccess {
    EditedParameter (*edit)(Weights&, std::size_t layer);
    Parameter (*read)(const Weights&, std::size_t layer);
};

/// Where a role lives in Weights and which shape it has there.
struct RoleInfo {
    WeightRole role;
    /// TransformerLens's; the first "{}" is the layer, the second an expert: "blocks.{}.attn.W_Q",
    /// "blocks.{}.mlp.experts.{}.W_in"
    std::string_view name;
    TensorAccess tensor;
    Dim rows;                    ///< One for vectors, which have no rows axis
    Dim cols;                    ///< of the role itself
    Dim first_col = Dim::Zero;   ///< in the tensor, when the role is a part of it
    Dim tensor_cols = Dim::Zero; ///< of the whole tensor; Zero: the role is all of it

    bool isVector() const { return rows == Dim::One; }
    bool isPart() const { return tensor_cols != Dim::Zero; }
    bool isPerLayer() const { return name.find("{}") != std::string_view::npos; }
    /// Whether its tensor holds it once for each expert.
    bool isPerExpert() const { return name.find("{}") != name.rfind("{}"); }
    /// How often its tensor in a layer holds it.
    std::size_t copies(const ModelSpec& spec, std::size_t layer) const {
        return isPerExpert() ? dimSize(Dim::Experts, spec, layer) : 1;
    }

    /// [rows, cols] or [cols] of the role.
    Shape shape(const ModelSpec& spec, std::size_t layer = 0) const;
    /// The shape of the tensor that holds it: [expert, rows, cols] for a role that every expert
    /// has.
    Shape tensorShape(const ModelSpec& spec, std::size_t layer = 0) const;
};

/// All roles in the order of the data through the network.
std::span<const RoleInfo> weightRoles();

const RoleInfo& roleInfo(WeightRole role);

/// The same weights without a copy of their numbers, which `owner` keeps (Tensor::borrowed()).
Weights borrowedWeights(const Weights& weights, const std::shared_ptr<const void>& owner);

/// `name` with the first "{}" replaced by the layer.
std::string atLayer(std::string_view name, std::size_t layer);
/// What atLayer() gives with the "{}" that is left replaced by an expert; by "*" for all of them.
std::string atExpert(std::string_view name, std::optional<std::size_t> expert);

} // namespace headscope

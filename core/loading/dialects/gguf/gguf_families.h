#pragma once

#include "core/loading/dialects/gguf/gguf_metadata.h"

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What llama.cpp's conversion did to the numbers of a tensor.
enum class GgufForm {
    AsIs,
    Rotary,      ///< rows of each head reordered for rotary positions in adjacent pairs
    QkvApart,    ///< rows by KV head (its queries, its key, its value) sorted apart
    Transposed,  ///< [out, in] in place of Hugging Face's [in, out]
    GainPlusOne, ///< 1 added to the gains of a norm
    OneRow,      ///< [cols] in place of Hugging Face's [1, cols]
    FusedRows,   ///< there one matrix with the next of the same name, which is below it
    HeadRows,    ///< [head, d_head]; there a vector for each head, whose number ends its name
    // Parameters, whose names in Hugging Face's files have no ".weight" and "_bias" for ".bias".
    BareName,
    FusedExperts,       ///< of all experts; there one tensor with the next of the same name
    ExpertsTransposed,  ///< the matrix of each expert transposed
    AlternatingExperts, ///< likewise; there its columns alternate with those of the next
};

constexpr bool hasBareName(GgufForm form) {
    return form >= GgufForm::BareName;
}

/// Whether Hugging Face's files hold a tensor of this form in one with that of the same name.
constexpr bool isHalf(GgufForm form) {
    return form == GgufForm::FusedRows || form == GgufForm::FusedExperts ||
           form == GgufForm::AlternatingExperts;
}

/// A tensor by its name in GGUF and in Hugging Face's files, both without ".weight" or ".bias";
/// "{}" is the layer.
struct GgufName {
    std::string gguf;
    std::string torch;
    GgufForm form = GgufForm::AsIs;

    /// The form of the tensor with this ending: what is done to gains is not done to biases.
    GgufForm formOf(std::string_view ending) const {
        return form == GgufForm::GainPlusOne && ending == ".bias" ? GgufForm::AsIs : form;
    }
    /// In Hugging Face's files, of the tensor with this ending.
    std::string torchName(std::string_view layer, std::string_view ending) const;
};

/// Matrices of heads in a layer, the output's last.
inline constexpr std::array<std::string_view, 4> kGgufHeadMatrices{
    "blk.{}.attn_q", "blk.{}.attn_k", "blk.{}.attn_v", "blk.{}.attn_output"};

/// One `general.architecture`, as the config.json and the names of its twin.
struct GgufFamily {
    std::string_view architecture;
    nlohmann::json (*config)(GgufKeys& keys);
    /// `file` has the names of either side, by which the variants of a family are told.
    std::vector<GgufName> (*names)(const TensorSource& file);
};

/// Null for an architecture that is not described.
const GgufFamily* ggufFamily(std::string_view architecture);

// What the families of GGUF share.

enum class RotatedPart {
    Whole, ///< of each head
    Stated ///< by the file; becomes partial_rotary_factor
};

/// Sizes, rotary positions and ties under the keys of Hugging Face's llama.
nlohmann::json llamaLikeConfig(GgufKeys& keys, std::string_view model_type,
                               RotatedPart rotated = RotatedPart::Whole);

/// The vocabulary that the embedding has rows for, and whether it is the unembedding, too.
void addEmbedding(GgufKeys& keys, nlohmann::json& config);

/// rope_scaling of a config; null without scaling.
nlohmann::json rotaryScaling(GgufKeys& keys);

/// Part of each head that is rotated, such that its product with the head's width is exact.
double rotatedFraction(GgufKeys& keys);

/// clip_qkv of a config; null where nothing is clipped.
nlohmann::json clipOf(GgufKeys& keys);

/// For families that turn the whole of each head: refuses a partial rotation.
void requireWholeRotation(GgufKeys& keys);

/// 1e-5 and its like, under the two names of GGUF.
double rmsNormEps(GgufKeys& keys);
double layerNormEps(GgufKeys& keys);

/// `config` with the eps of its norms.
nlohmann::json rmsNormed(nlohmann::json config, GgufKeys& keys);
nlohmann::json layerNormed(nlohmann::json config, GgufKeys& keys);

/// The same of a network with experts in all layers, whose number transformers reads from
/// `experts_key`. Fails where they are chosen or weighted in another way than by a softmax.
nlohmann::json mixtureConfig(GgufKeys& keys, std::string_view model_type, const char* experts_key);

/// For families in which the weights of the chosen experts always sum to 1: refuses others.
void requireSumOfOne(GgufKeys& keys);

/// Granite's four factors.
void addGraniteScales(GgufKeys& keys, nlohmann::json& config);

/// Llama's tensors; `queries_and_keys` tells what was done to those two.
std::vector<GgufName> llamaGgufNames(GgufForm queries_and_keys);

std::vector<GgufName> plainGgufNames(const TensorSource& file);
std::vector<GgufName> rotatedGgufNames(const TensorSource& file);

/// Those of a layer's experts; the names of Hugging Face follow "model.layers.{}.".
std::vector<GgufName> expertGgufNames(const std::string& router, const std::string& experts);

/// Norms of queries and keys.
std::vector<GgufName> qkNormGgufNames();

/// The same names with others in place of those of the same name on either side, and those that
/// are new.
std::vector<GgufName> withNames(std::vector<GgufName> names, const std::vector<GgufName>& others);

} // namespace headscope

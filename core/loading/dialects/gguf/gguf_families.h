#pragma once

#include "core/loading/dialects/gguf/gguf_keys.h"

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
    Rotary,       ///< rows of each head reordered for rotary positions in adjacent pairs
    QkvApart,     ///< rows by KV head (its queries, its key, its value) sorted apart
    Transposed,   ///< [out, in] in place of Hugging Face's [in, out]
    GainPlusOne,  ///< 1 added to the gains of a norm
    OneRow,       ///< [cols] in place of Hugging Face's [1, cols]
    Experts,      ///< of all experts, whose name in Hugging Face's files has no ".weight"
    FusedExperts, ///< likewise; there one tensor with the next of the same name
};

/// A tensor by its name in GGUF and in Hugging Face's files, both without ".weight" or ".bias";
/// "{}" is the layer.
struct GgufName {
    std::string gguf;
    std::string torch;
    GgufForm form = GgufForm::AsIs;

    /// Of the tensor with this ending: what is done to gains is not done to biases.
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

} // namespace headscope

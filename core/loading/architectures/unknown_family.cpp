#include "core/loading/architectures/unknown_family.h"

#include "core/loading/architectures/architecture.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

namespace headscope {

namespace {

/// How many letters have to be put in, taken out or replaced (Levenshtein 1966).
std::size_t editDistance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1); // of the letters of `from` so far
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

/// The family that is spelled most like it; nothing where none is near.
std::optional<std::string_view> nearestFamily(std::string_view model_type) {
    std::optional<std::string_view> nearest;
    std::size_t least = model_type.size() / 2 + 1; // of a name that shares nothing: its length
    for (const Family& family : families()) {
        const std::size_t distance = editDistance(model_type, family.model_type);
        if (family.internal || distance >= least)
            continue;
        nearest = family.model_type;
        least = distance;
    }
    return nearest;
}

/// Networks of transformers that no ModelSpec describes, and what stands in the way.
struct Misfits {
    std::string_view names; ///< model_types between spaces
    std::string_view reason;
};
constexpr std::array kMisfits{
    Misfits{" hunyuan_v1_moe ", "its experts are weighted beside an MLP that is always used"},
    Misfits{" llama4 llama4_text ", "some of its layers attend within chunks of the prompt"},
    Misfits{" gemma3n gemma3n_text ",
            "its layers share keys and values and carry several residual streams"},
    Misfits{" diffllama ", "its patterns are differences of two softmaxes"},
    Misfits{" deepseek_v2 deepseek_v3 glm4_moe_lite longcat_flash minicpm3 youtu ",
            "its keys and values are made of a latent vector that all heads share"},
    Misfits{" deberta deberta-v2 xlnet ", "its contents and positions attend to each other apart"},
    Misfits{" albert ", "its layers share one set of weights"},
    Misfits{" big_bird longformer reformer ", "its queries see chosen positions only"},
    Misfits{
        " bart blenderbot blenderbot-small encoder-decoder fsmt led longt5 m2m_100 marian mbart "
        "mt5 nllb-moe pegasus pegasus_x plbart prophetnet switch_transformers t5 t5gemma umt5 ",
        "it has an encoder and a decoder that attends to it"},
    Misfits{" falcon_mamba mamba mamba2 rwkv xlstm ", "it is recurrent and has no attention"},
    Misfits{" bamba falcon_h1 granitemoehybrid jamba kimi_linear lfm2 nemotron_h olmo_hybrid "
            "qwen3_next recurrent_gemma zamba zamba2 ",
            "some of its layers are recurrent and have no attention"},
    Misfits{" beit clip deit dinov2 siglip vit ", "it reads images"},
    Misfits{" hubert speech_to_text wav2vec2 whisper ", "it reads sound"},
};

std::optional<std::string_view> reasonAgainst(std::string_view model_type) {
    const std::string name = " " + std::string(model_type) + " ";
    for (const Misfits& misfits : kMisfits)
        if (misfits.names.find(name) != std::string_view::npos)
            return misfits.reason;
    return std::nullopt;
}

} // namespace

Error unknownFamily(const std::string& source, std::string_view model_type) {
    std::string message = source + " has model_type '" + std::string(model_type) +
                          "', which is no family that can be opened";
    if (const auto reason = reasonAgainst(model_type))
        return {ErrorCode::Unsupported, message + ", since " + std::string(*reason) +
                                            "; open a model of a family that the README lists."};
    if (const auto nearest = nearestFamily(model_type))
        message += " (the nearest name is '" + std::string(*nearest) + "')";
    return {ErrorCode::Unsupported,
            message + "; open a model of a family that the README lists, or, if this one computes "
                      "what such a family does, write that family's model_type into its config."};
}

} // namespace headscope

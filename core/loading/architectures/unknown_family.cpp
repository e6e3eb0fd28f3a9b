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

/// The family that is spelled nearly like it, as another version of it is; nothing where none is.
/// Names that begin with another letter are others: 'xlm' is no 'glm'.
std::optional<std::string_view> nearestFamily(std::string_view model_type) {
    std::optional<std::string_view> nearest;
    std::size_t least = std::min<std::size_t>(2, model_type.size() / 3) + 1;
    for (const Family& family : families()) {
        const std::size_t distance = editDistance(model_type, family.model_type);
        if (family.internal || distance >= least || family.model_type.front() != model_type.front())
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
    Misfits{" mimo_v2_flash ", "its layers have different numbers of key-value heads"},
    Misfits{" jetmoe ", "its heads are chosen for each token as experts are"},
    Misfits{" llama4 llama4_text ", "some of its layers attend within chunks of the prompt"},
    Misfits{" gemma3n gemma3n_text ",
            "its layers share keys and values and carry several residual streams"},
    Misfits{" gemma4 gemma4_text gemma4_unified gemma4_unified_text ",
            "its values are normalised and its layers have heads of two sizes"},
    Misfits{" gemma4_assistant gemma4_unified_assistant ",
            "it reads the keys and values of another model"},
    Misfits{" deepseek_v4 ", "its keys are its values, too"},
    Misfits{" diffllama ", "its patterns are differences of two softmaxes"},
    Misfits{" doge ", "its scores have an addend that is made of the values"},
    Misfits{" bitnet ", "what its heads give is normalised before W_O"},
    Misfits{" apertus apertus1p5 apertus1p5_text ",
            "its activation has parameters that are learned in each layer"},
    Misfits{" axk2 ", "what its norms give is multiplied by gates"},
    Misfits{" axk1 ", "what its experts give is normalised, and what its MLPs give is not"},
    Misfits{" deepseek_v32 dots3_note dots3_note_text glm_moe_dsa hy_v4 hy_v4_vl hy_v4_vl_text "
            "mistral_large4 mistral_large4_text ",
            "an indexer chooses which keys each of its queries sees"},
    Misfits{" longcat_flash ", "its layers have two attentions and experts that do nothing"},
    Misfits{" inkling_mm_model inkling_text inkling2 inkling2_text zaya ",
            "its keys pass through convolutions"},
    Misfits{" dory hrm_text inkling2_loop inkling2_loop_text ", "layers of it run more than once"},
    Misfits{" deberta deberta-v2 xlnet ", "its contents and positions attend to each other apart"},
    Misfits{" big_bird longformer minimax_m3_vl minimax_m3_vl_text reformer ",
            "its queries see chosen positions only"},
    Misfits{" mra nystromformer yoso ", "its attention only comes near to a softmax"},
    Misfits{" fnet ", "it has Fourier transforms in place of attention"},
    Misfits{" convbert ", "it has convolutions beside its heads"},
    Misfits{" squeezebert ", "its matrices work on groups of dimensions"},
    Misfits{" mobilebert ", "its attention and its MLPs work inside of bottlenecks"},
    Misfits{" funnel ", "it pools its tokens from block to block"},
    Misfits{" perceiver ", "its tokens are read by latent vectors"},
    Misfits{" rembert ", "its embedding and its unembedding have two widths"},
    Misfits{" roc_bert ", "its tokens have a shape and a sound, too"},
    Misfits{" xmod ", "its layers have an MLP for each language"},
    Misfits{" layoutlm ", "its tokens have places on a page"},
    Misfits{" tapas ", "its tokens stand in the cells of a table"},
    Misfits{" esm ", "it scales its embeddings by how many tokens are masked"},
    Misfits{" esmc ", "its masked-LM head has another activation than its MLPs"},
    Misfits{" ultrabert ultravbert ", "its masked-LM head has two layers"},
    Misfits{" afmoe beam laguna neomme ", "what its heads give is multiplied by gates"},
    Misfits{" cpmant ", "it puts learned vectors before each prompt"},
    Misfits{" ctrl kosmos-2 kosmos-2.5 xglm ",
            "its positions are computed sines, which no file of it holds"},
    Misfits{" gpt_neox_japanese ", "only its last layer has a bias behind W_O"},
    Misfits{" nanochat ", "its rotary positions turn backwards"},
    Misfits{" blt ", "it joins its bytes to patches"},
    Misfits{" chameleon ", "its queries and keys have a gain for each head"},
    Misfits{" paligemma ", "its prompts see what stands behind, too"},
    Misfits{" colmodernvbert colpali colqwen2 ", "it makes vectors to search with, no logits"},
    Misfits{" aria aria_text ", "its files hold the matrices of its experts the other way round"},
    Misfits{" blip idefics mllama trocr ", "layers of it attend to an image"},
    Misfits{" bert-generation ", "it is one half of an encoder and a decoder"},
    Misfits{" bart bigbird_pegasus blenderbot blenderbot-small encoder-decoder florence2 fsmt led "
            "longt5 "
            "m2m_100 marian mbart mt5 mvp nllb-moe pegasus pegasus_x plbart prophetnet "
            "switch_transformers t5 t5gemma umt5 ",
            "it has an encoder and a decoder that attends to it"},
    Misfits{" falcon_mamba mamba mamba2 rwkv xlstm ", "it is recurrent and has no attention"},
    Misfits{" falcon_h1 ", "its layers are recurrent beside their attention"},
    Misfits{" bailing_hybrid bamba glm5_next glm5_next_text jamba jev kimi_linear lara_mini "
            "minicpm_ocr minicpmv4_6 "
            "minicpmv4_7 minimax nemo_speechlm nemotron_h nemotron_h_omni olmo_hybrid qwen3_5 "
            "qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen3_next qwen4_exp "
            "qwen4_exp_text recurrent_gemma zamba zamba2 ",
            "some of its layers are recurrent and have no attention"},
    Misfits{" lfm2 lfm2_moe lfm2_vl lfm3 lfm3_vl ",
            "some of its layers are convolutions and have no attention"},
    Misfits{" beit clip deit dinov2 git modernvbert siglip vit ", "it reads images"},
    Misfits{" hubert moshi musicgen musicgen_melody speech_to_text wav2vec2 whisper ",
            "it reads or writes sound"},
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
        return {ErrorCode::Unsupported,
                message + ", since " + std::string(*reason) +
                    "; open a model of a family that resources/models.md lists."};
    const auto nearest = nearestFamily(model_type);
    if (!nearest)
        return {ErrorCode::Unsupported,
                message + "; open a model of a family that resources/models.md lists."};
    return {ErrorCode::Unsupported, message + " (the nearest name is '" + std::string(*nearest) +
                                        "'); open a model of a family that resources/models.md "
                                        "lists, or, if this one computes what "
                                        "that family does, write its model_type into the config."};
}

} // namespace headscope

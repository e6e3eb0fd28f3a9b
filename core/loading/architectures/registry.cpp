#include "core/loading/architectures/architecture.h"
#include "core/loading/architectures/missing_heads.h"
#include "core/loading/architectures/transformer_bridge.h"
#include "core/loading/architectures/unknown_family.h"
#include "core/loading/plan/untied_head.h"

#include <algorithm>
#include <array>
#include <string>

namespace headscope {

Architecture describeAlbert(ConfigReader&, const TensorSource&);
Architecture describeArcee(ConfigReader&, const TensorSource&);
Architecture describeAttention(ConfigReader&, const TensorSource&);
Architecture describeBert(ConfigReader&, const TensorSource&);
Architecture describeBiogpt(ConfigReader&, const TensorSource&);
Architecture describeBloom(ConfigReader&, const TensorSource&);
Architecture describeCodegen(ConfigReader&, const TensorSource&);
Architecture describeCohere(ConfigReader&, const TensorSource&);
Architecture describeCohere2(ConfigReader&, const TensorSource&);
Architecture describeCohere2Moe(ConfigReader&, const TensorSource&);
Architecture describeCohereCompass(ConfigReader&, const TensorSource&);
Architecture describeCwm(ConfigReader&, const TensorSource&);
Architecture describeData2vecText(ConfigReader&, const TensorSource&);
Architecture describeDbrx(ConfigReader&, const TensorSource&);
Architecture describeDeepseekV2(ConfigReader&, const TensorSource&);
Architecture describeDeepseekV3(ConfigReader&, const TensorSource&);
Architecture describeDistilbert(ConfigReader&, const TensorSource&);
Architecture describeDots1(ConfigReader&, const TensorSource&);
Architecture describeElectra(ConfigReader&, const TensorSource&);
Architecture describeErnie(ConfigReader&, const TensorSource&);
Architecture describeErnie45(ConfigReader&, const TensorSource&);
Architecture describeErnie45Moe(ConfigReader&, const TensorSource&);
Architecture describeEurobert(ConfigReader&, const TensorSource&);
Architecture describeExaone(ConfigReader&, const TensorSource&);
Architecture describeExaone4(ConfigReader&, const TensorSource&);
Architecture describeExaoneMoe(ConfigReader&, const TensorSource&);
Architecture describeFalcon(ConfigReader&, const TensorSource&);
Architecture describeFlaubert(ConfigReader&, const TensorSource&);
Architecture describeFlexOlmo(ConfigReader&, const TensorSource&);
Architecture describeFlint(ConfigReader&, const TensorSource&);
Architecture describeGemma(ConfigReader&, const TensorSource&);
Architecture describeGemma2(ConfigReader&, const TensorSource&);
Architecture describeGemma3Text(ConfigReader&, const TensorSource&);
Architecture describeGlm(ConfigReader&, const TensorSource&);
Architecture describeGlm4(ConfigReader&, const TensorSource&);
Architecture describeGlm4Moe(ConfigReader&, const TensorSource&);
Architecture describeGlm4MoeLite(ConfigReader&, const TensorSource&);
Architecture describeGpt2(ConfigReader&, const TensorSource&);
Architecture describeGptBigcode(ConfigReader&, const TensorSource&);
Architecture describeGptj(ConfigReader&, const TensorSource&);
Architecture describeGptNeo(ConfigReader&, const TensorSource&);
Architecture describeGptNeox(ConfigReader&, const TensorSource&);
Architecture describeGptOss(ConfigReader&, const TensorSource&);
Architecture describeGranite(ConfigReader&, const TensorSource&);
Architecture describeGraniteHybrid(ConfigReader&, const TensorSource&);
Architecture describeGraniteMoe(ConfigReader&, const TensorSource&);
Architecture describeGraniteMoeShared(ConfigReader&, const TensorSource&);
Architecture describeGraniteMoeSwa(ConfigReader&, const TensorSource&);
Architecture describeGraniteSwa(ConfigReader&, const TensorSource&);
Architecture describeGte(ConfigReader&, const TensorSource&);
Architecture describeHelium(ConfigReader&, const TensorSource&);
Architecture describeHookedTransformer(ConfigReader&, const TensorSource&);
Architecture describeHunyuan(ConfigReader&, const TensorSource&);
Architecture describeHunyuanMoe(ConfigReader&, const TensorSource&);
Architecture describeHyperclovax(ConfigReader&, const TensorSource&);
Architecture describeHyV3(ConfigReader&, const TensorSource&);
Architecture describeIbert(ConfigReader&, const TensorSource&);
Architecture describeInternlm3(ConfigReader&, const TensorSource&);
Architecture describeIquestcoder(ConfigReader&, const TensorSource&);
Architecture describeJais2(ConfigReader&, const TensorSource&);
Architecture describeJinaEmbeddings3(ConfigReader&, const TensorSource&);
Architecture describeKerasAttention(ConfigReader&, const TensorSource&);
Architecture describeKerasTransformer(ConfigReader&, const TensorSource&);
Architecture describeKolibri1(ConfigReader&, const TensorSource&);
Architecture describeLlama(ConfigReader&, const TensorSource&);
Architecture describeLuke(ConfigReader&, const TensorSource&);
Architecture describeMegatronBert(ConfigReader&, const TensorSource&);
Architecture describeMellum(ConfigReader&, const TensorSource&);
Architecture describeMicrogpt(ConfigReader&, const TensorSource&);
Architecture describeMinicpm3(ConfigReader&, const TensorSource&);
Architecture describeMiniMaxM2(ConfigReader&, const TensorSource&);
Architecture describeMinistral3(ConfigReader&, const TensorSource&);
Architecture describeMistral(ConfigReader&, const TensorSource&);
Architecture describeMistral4(ConfigReader&, const TensorSource&);
Architecture describeMixtral(ConfigReader&, const TensorSource&);
Architecture describeModernBert(ConfigReader&, const TensorSource&);
Architecture describeModernBertDecoder(ConfigReader&, const TensorSource&);
Architecture describeMpnet(ConfigReader&, const TensorSource&);
Architecture describeMpt(ConfigReader&, const TensorSource&);
Architecture describeNemotron(ConfigReader&, const TensorSource&);
Architecture describeNomicBert(ConfigReader&, const TensorSource&);
Architecture describeOlmo(ConfigReader&, const TensorSource&);
Architecture describeOlmo2(ConfigReader&, const TensorSource&);
Architecture describeOlmo3(ConfigReader&, const TensorSource&);
Architecture describeOlmoe(ConfigReader&, const TensorSource&);
Architecture describeOpenaiGpt(ConfigReader&, const TensorSource&);
Architecture describeOpt(ConfigReader&, const TensorSource&);
Architecture describePersimmon(ConfigReader&, const TensorSource&);
Architecture describePhi(ConfigReader&, const TensorSource&);
Architecture describePhi3(ConfigReader&, const TensorSource&);
Architecture describePhi4Multimodal(ConfigReader&, const TensorSource&);
Architecture describePhimoe(ConfigReader&, const TensorSource&);
Architecture describeQwen2(ConfigReader&, const TensorSource&);
Architecture describeQwen2Moe(ConfigReader&, const TensorSource&);
Architecture describeQwen3(ConfigReader&, const TensorSource&);
Architecture describeQwen3Moe(ConfigReader&, const TensorSource&);
Architecture describeQwenOmni(ConfigReader&, const TensorSource&);
Architecture describeRoberta(ConfigReader&, const TensorSource&);
Architecture describeRobertaPreLayerNorm(ConfigReader&, const TensorSource&);
Architecture describeRoformer(ConfigReader&, const TensorSource&);
Architecture describeSarvamMla(ConfigReader&, const TensorSource&);
Architecture describeSarvamMoe(ConfigReader&, const TensorSource&);
Architecture describeSeedOss(ConfigReader&, const TensorSource&);
Architecture describeSmollm3(ConfigReader&, const TensorSource&);
Architecture describeSolarOpen(ConfigReader&, const TensorSource&);
Architecture describeStablelm(ConfigReader&, const TensorSource&);
Architecture describeStarcoder2(ConfigReader&, const TensorSource&);
Architecture describeVaultgemma(ConfigReader&, const TensorSource&);
Architecture describeVisionLanguage(ConfigReader&, const TensorSource&);
Architecture describeXlm(ConfigReader&, const TensorSource&);
Architecture describeXlmRobertaXl(ConfigReader&, const TensorSource&);
Architecture describeYoutu(ConfigReader&, const TensorSource&);

namespace {

/// TransformerLens writes no model_type; its files are known by the names in them.
constexpr std::string_view kHookedTransformer = "hooked_transformer";

constexpr std::array kFamilies{
    Family{"gpt2", describeGpt2, true},
    Family{"gpt_neo", describeGptNeo},
    Family{"gpt_neox", describeGptNeox},
    Family{"gptj", describeGptj},
    Family{"codegen", describeCodegen},
    Family{"opt", describeOpt},
    Family{"bloom", describeBloom},
    Family{"falcon", describeFalcon},
    Family{"llama", describeLlama},
    Family{"mistral", describeMistral},
    Family{"qwen2", describeQwen2},
    Family{"qwen3", describeQwen3},
    Family{"gemma", describeGemma},
    Family{"gemma2", describeGemma2},
    Family{"gemma3_text", describeGemma3Text},
    Family{"phi", describePhi},
    Family{"phi3", describePhi3},
    Family{"olmo2", describeOlmo2},
    Family{"stablelm", describeStablelm},
    Family{"starcoder2", describeStarcoder2},
    Family{"olmo", describeOlmo},
    Family{"granite", describeGranite},
    Family{"cohere", describeCohere},
    Family{"helium", describeHelium},
    Family{"glm", describeGlm},
    Family{"glm4", describeGlm4},
    Family{"seed_oss", describeSeedOss},
    Family{"smollm3", describeSmollm3},
    Family{"olmo3", describeOlmo3},
    Family{"cohere2", describeCohere2},
    Family{"exaone4", describeExaone4},
    Family{"ministral", describeMistral},
    Family{"ministral3", describeMinistral3},
    Family{"nemotron", describeNemotron},
    Family{"nomic_bert", describeNomicBert},
    Family{"modernbert", describeModernBert},
    Family{"ernie4_5", describeErnie45},
    Family{"vaultgemma", describeVaultgemma},
    Family{"hunyuan_v1_dense", describeHunyuan},
    Family{"exaone", describeExaone},
    Family{"internlm3", describeInternlm3},
    Family{"eurobert", describeEurobert},
    Family{"biogpt", describeBiogpt},
    Family{"granitemoehybrid", describeGraniteHybrid},
    Family{"granite_swa", describeGraniteSwa},
    Family{"granitemoeshared", describeGraniteMoeShared},
    Family{"granitemoe_swa", describeGraniteMoeSwa},
    Family{"hunyuan_v1_moe", describeHunyuanMoe},
    Family{"hyperclovax", describeHyperclovax},
    Family{"persimmon", describePersimmon},
    Family{"jais2", describeJais2},
    Family{"cwm", describeCwm},
    Family{"iquestcoder", describeIquestcoder},
    Family{"mellum", describeMellum},
    Family{"flex_olmo", describeFlexOlmo},
    Family{"cohere_compass_text", describeCohereCompass},
    Family{"arcee", describeArcee},
    Family{"mixtral", describeMixtral},
    Family{"qwen2_moe", describeQwen2Moe},
    Family{"qwen3_moe", describeQwen3Moe},
    Family{"olmoe", describeOlmoe},
    Family{"granitemoe", describeGraniteMoe},
    Family{"gpt_oss", describeGptOss},
    Family{"glm4_moe", describeGlm4Moe},
    Family{"dots1", describeDots1},
    Family{"ernie4_5_moe", describeErnie45Moe},
    Family{"minimax_m2", describeMiniMaxM2},
    Family{"solar_open", describeSolarOpen},
    Family{"exaone_moe", describeExaoneMoe},
    Family{"hy_v3", describeHyV3},
    Family{"flint", describeFlint},
    Family{"kolibri1", describeKolibri1},
    Family{"sarvam_moe", describeSarvamMoe},
    Family{"phimoe", describePhimoe},
    Family{"dbrx", describeDbrx},
    Family{"cohere2_moe", describeCohere2Moe},
    Family{"deepseek_v2", describeDeepseekV2},
    Family{"deepseek_v3", describeDeepseekV3},
    Family{"glm4_moe_lite", describeGlm4MoeLite},
    Family{"kimi_k2", describeDeepseekV3},
    Family{"minicpm3", describeMinicpm3},
    Family{"mistral4", describeMistral4},
    Family{"sarvam_mla", describeSarvamMla},
    Family{"youtu", describeYoutu},
    Family{"openai-gpt", describeOpenaiGpt},
    Family{"gpt_bigcode", describeGptBigcode},
    Family{"mpt", describeMpt},
    Family{"bert", describeBert, true},
    Family{"electra", describeElectra},
    Family{"albert", describeAlbert},
    Family{"mpnet", describeMpnet},
    Family{"distilbert", describeDistilbert, true},
    Family{"roberta", describeRoberta, true},
    Family{"xlm-roberta", describeRoberta, true},
    Family{"camembert", describeRoberta, true},
    Family{"data2vec-text", describeData2vecText},
    Family{"ernie", describeErnie},
    Family{"ibert", describeIbert},
    Family{"luke", describeLuke},
    Family{"roberta-prelayernorm", describeRobertaPreLayerNorm},
    Family{"xlm-roberta-xl", describeXlmRobertaXl},
    Family{"megatron-bert", describeMegatronBert},
    Family{"xlm", describeXlm},
    Family{"flaubert", describeFlaubert},
    Family{"gte", describeGte},
    Family{"jina_embeddings_v3", describeJinaEmbeddings3},
    Family{"roformer", describeRoformer},
    Family{"modernbert-decoder", describeModernBertDecoder},
    Family{"gemma3", describeVisionLanguage},
    Family{"idefics3", describeVisionLanguage},
    Family{"audioflamingo3", describeVisionLanguage},
    Family{"aya_vision", describeVisionLanguage},
    Family{"blip-2", describeVisionLanguage},
    Family{"cohere2_vision", describeVisionLanguage},
    Family{"cohere_compass", describeVisionLanguage},
    Family{"deepseek_vl", describeVisionLanguage},
    Family{"deepseek_vl_hybrid", describeVisionLanguage},
    Family{"emu3", describeVisionLanguage},
    Family{"exaone4_5", describeVisionLanguage},
    Family{"fast_vlm", describeVisionLanguage},
    Family{"fun_asr_nano", describeVisionLanguage},
    Family{"fuyu", describeVisionLanguage},
    Family{"glm46v", describeVisionLanguage},
    Family{"glm4v", describeVisionLanguage},
    Family{"glm4v_moe", describeVisionLanguage},
    Family{"glm_ocr", describeVisionLanguage},
    Family{"glmasr", describeVisionLanguage},
    Family{"glmga", describeVisionLanguage},
    Family{"got_ocr2", describeVisionLanguage},
    Family{"granite4_vision", describeVisionLanguage},
    Family{"granite_speech", describeVisionLanguage},
    Family{"granite_speech_plus", describeVisionLanguage},
    Family{"hunyuan_vl", describeVisionLanguage},
    Family{"hyperclovax_vision_v2", describeVisionLanguage},
    Family{"idefics2", describeVisionLanguage},
    Family{"instructblip", describeVisionLanguage},
    Family{"instructblipvideo", describeVisionLanguage},
    Family{"janus", describeVisionLanguage},
    Family{"kimi_k25", describeVisionLanguage},
    Family{"lighton_ocr", describeVisionLanguage},
    Family{"llava_next_video", describeVisionLanguage},
    Family{"moss_transcribe_diarize", describeVisionLanguage},
    Family{"musicflamingo", describeVisionLanguage},
    Family{"omniasr", describeVisionLanguage},
    Family{"ovis2", describeVisionLanguage},
    Family{"paddleocr_vl", describeVisionLanguage},
    Family{"perception_lm", describeVisionLanguage},
    Family{"phi4_multimodal", describePhi4Multimodal},
    Family{"pp_chart2table", describeVisionLanguage},
    Family{"qianfan_ocr", describeVisionLanguage},
    Family{"qwen2_5_omni", describeQwenOmni},
    Family{"qwen2_5_omni_thinker", describeVisionLanguage},
    Family{"qwen2_audio", describeVisionLanguage},
    Family{"qwen3_asr", describeVisionLanguage},
    Family{"qwen3_omni_moe", describeQwenOmni},
    Family{"qwen3_omni_moe_thinker", describeVisionLanguage},
    Family{"shieldgemma2", describeVisionLanguage},
    Family{"vibevoice", describeVisionLanguage},
    Family{"vibevoice_asr", describeVisionLanguage},
    Family{"video_llama_3", describeVisionLanguage},
    Family{"video_llava", describeVisionLanguage},
    Family{"voxtral", describeVisionLanguage},
    Family{"internvl", describeVisionLanguage},
    Family{"llava", describeVisionLanguage},
    Family{"llava_next", describeVisionLanguage},
    Family{"llava_onevision", describeVisionLanguage},
    Family{"mistral3", describeVisionLanguage},
    Family{"qwen2_vl", describeVisionLanguage},
    Family{"qwen2_5_vl", describeVisionLanguage},
    Family{"qwen3_vl", describeVisionLanguage},
    Family{"qwen3_vl_moe", describeVisionLanguage},
    Family{"smolvlm", describeVisionLanguage},
    Family{"vipllava", describeVisionLanguage},
    Family{"keras_transformer", describeKerasTransformer, false, true},
    Family{"keras_attention", describeKerasAttention, false, true},
    Family{kHookedTransformer, describeHookedTransformer},
    Family{"microgpt", describeMicrogpt},
    Family{"attention", describeAttention},
};

/// Options that any Hugging Face config may carry and that make it another network.
void refuseForeignFeatures(ConfigReader& config) {
    config.refuse("quantization_config", "quantised weights are not supported; export the "
                                         "model in float16 or float32");
    config.refuse("is_encoder_decoder", "encoder-decoder networks are not supported");
    config.refuse("add_cross_attention", "cross-attention is not supported");
}

constexpr std::size_t kMostLayers = 10'000;
constexpr std::size_t kMostExperts = 100'000; ///< of all layers

Error contradiction(std::string_view source, const std::string& found, std::string_view expected) {
    return {ErrorCode::Mismatch, std::string(source) + " has " + found + ", expected " +
                                     std::string(expected) + "; correct the config."};
}

} // namespace

std::span<const Family> families() {
    return kFamilies;
}

namespace {

bool isHookedTransformer(const ConfigReader& config, const TensorSource& file) {
    return !config.has("model_type") && config.has("d_model") &&
           std::ranges::any_of(file.tensors(), [](const TensorInfo& tensor) {
               return tensor.name.ends_with("embed.W_E") || tensor.name.ends_with(".attn.W_Q");
           });
}

} // namespace

Result<Architecture> describeArchitecture(ConfigReader& config, const TensorSource& file) {
    const bool is_bridge = isTransformerBridge(file);
    const std::string model_type = is_bridge ? bridgedFamily(config, file)
                                   : isHookedTransformer(config, file)
                                       ? std::string(kHookedTransformer)
                                       : config.text({"model_type"});
    if (config.error())
        return *config.error();
    const auto family = std::ranges::find(kFamilies, model_type, &Family::model_type);
    if (family == kFamilies.end())
        return unknownFamily(config.source(), model_type);
    refuseForeignFeatures(config);
    Architecture architecture = family->describe(config, file);
    if (is_bridge && architecture.spec.latent)
        config.fail(ErrorCode::Unsupported,
                    "has latent attention, which is not read from files of TransformerBridge; save "
                    "the model by save_pretrained.");
    if (is_bridge && model_type != kHookedTransformer)
        nameAsInBridge(architecture, file);
    if (!config.error())
        readPrunedHeads(config, *family, architecture.spec);
    if (!config.error())
        readKeptHeads(config, architecture);
    readOutputBias(config, architecture);
    if (config.error())
        return *config.error();
    untieStoredBias(config, file, architecture);
    architecture.spec.family = is_bridge ? kHookedTransformer : model_type;
    return architecture;
}

Result<void> checkSpec(const ModelSpec& spec, std::string_view source) {
    if (spec.n_layers > kMostLayers)
        return contradiction(source, std::to_string(spec.n_layers) + " layers",
                             "at most " + std::to_string(kMostLayers));
    if (spec.experts && spec.n_layers * spec.experts->n_experts > kMostExperts)
        return contradiction(source,
                             std::to_string(spec.experts->n_experts) + " experts in each of " +
                                 std::to_string(spec.n_layers) + " layers",
                             "at most " + std::to_string(kMostExperts) + " in all");
    if (spec.n_heads % spec.n_kv_heads != 0)
        return contradiction(source,
                             std::to_string(spec.n_heads) + " query heads and " +
                                 std::to_string(spec.n_kv_heads) + " key-value heads",
                             "a number of query heads that is a multiple of the key-value heads");
    if (spec.positions == PositionKind::Rotary)
        for (const RotarySpec& rotary : {spec.rotary, spec.window_rotary.value_or(spec.rotary)})
            if (rotary.d_rotary % 2 != 0 || rotary.d_rotary > spec.d_head)
                return contradiction(
                    source, std::to_string(rotary.d_rotary) + " rotated dimensions per head",
                    "an even number for rotary positions, and no more than the " +
                        std::to_string(spec.d_head) + " of a head");
    if (spec.latent && spec.latent->d_shared >= spec.d_head)
        return contradiction(source,
                             "heads of " + std::to_string(spec.d_head) + " dimensions, of which " +
                                 std::to_string(spec.latent->d_shared) + " are shared by all",
                             "fewer shared ones");
    return {};
}

} // namespace headscope

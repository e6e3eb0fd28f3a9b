#include "tests/support/models.h"

#include "core/base/random.h"
#include "core/loading/load_model.h"
#include "core/model/random_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>

namespace headscope::test {

namespace {

/// Each file is read once in a process: starting the sealed reader takes longer than most tests.
std::shared_ptr<const Model> load(const std::string& folder, const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<const Model>> models;
    const std::lock_guard lock(mutex);
    std::shared_ptr<const Model>& model = models[folder + "/" + name + ".h5"];
    if (!model)
        model = require(loadModel(folder + "/" + name + ".h5"));
    return model;
}

/// Values spread evenly over ±scale, which is all these tests need.
Tensor randomTensor(Random& random, Shape shape, float scale, float centre = 0.0f) {
    constexpr std::size_t steps = 1u << 20;
    Tensor tensor(std::move(shape));
    for (float& value : tensor.values())
        value = centre + scale * (2.0f * static_cast<float>(random.below(steps)) / steps - 1.0f);
    return tensor;
}

NormWeights randomNorm(Random& random, const ModelSpec& spec) {
    NormWeights norm;
    norm.weight = randomTensor(random, {spec.d_model}, 0.2f, 1.0f);
    if (spec.norm.kind == NormKind::LayerNorm)
        norm.bias = randomTensor(random, {spec.d_model}, 0.1f);
    return norm;
}

ExpertsWeights randomExperts(Random& random, const ModelSpec& spec, float scale) {
    const ExpertsSpec& experts = *spec.experts;
    const auto matrix = [&](Shape shape) { return randomTensor(random, std::move(shape), scale); };
    ExpertsWeights weights;
    weights.W_router = matrix({spec.d_model, experts.n_experts});
    weights.W_gate = matrix({experts.n_experts, spec.d_model, experts.d_mlp});
    weights.W_in = matrix({experts.n_experts, spec.d_model, experts.d_mlp});
    weights.W_out = matrix({experts.n_experts, experts.d_mlp, spec.d_model});
    if (experts.d_shared == 0)
        return weights;
    weights.W_shared_router = matrix({spec.d_model, 1});
    weights.shared.W_gate = matrix({spec.d_model, experts.d_shared});
    weights.shared.W_in = matrix({spec.d_model, experts.d_shared});
    weights.shared.W_out = matrix({experts.d_shared, spec.d_model});
    return weights;
}

} // namespace

std::shared_ptr<const Model> loadFixture(const std::string& name) {
    return load(HEADSCOPE_TEST_DATA "/fixtures", name);
}

std::shared_ptr<const Model> loadSample(const std::string& name) {
    return load(HEADSCOPE_SAMPLE_MODELS, name);
}

std::vector<std::string> fixtureNames() {
    return {"bert",
            "bloom",
            "distilbert",
            "falcon-mqa",
            "gemma",
            "gemma2",
            "gpt2",
            "gpt2-scale-by-layer",
            "gpt_neo",
            "gpt_neox",
            "gpt_neox-sequential",
            "gptj",
            "llama",
            "llama-gqa",
            "llama-mqa-headdim",
            "llama3-rope",
            "mistral-window",
            "olmo2",
            "opt",
            "phi",
            "phi3",
            "qwen2",
            "qwen3",
            "roberta",
            "stablelm"};
}

std::vector<std::string> clippedNames() {
    return {"dbrx", "mpt-clip", "olmo-clip", "olmoe-clip"};
}

std::vector<std::string> routedNames() {
    return {"glm4_moe",     "glm4_moe-held",     "dots1",       "dots1-held",
            "ernie4_5_moe", "ernie4_5_moe-held", "minimax_m2",  "minimax_m2-held",
            "solar_open",   "solar_open-held",   "exaone_moe",  "exaone_moe-held",
            "hy_v3",        "hy_v3-held",        "flint",       "flint-held",
            "kolibri1",     "kolibri1-held",     "sarvam_moe",  "sarvam_moe-held",
            "phimoe",       "phimoe-held",       "cohere2_moe", "cohere2_moe-held",
            "dbrx-less",    "glm4v_moe"};
}

std::vector<std::string> latentNames() {
    return {"deepseek_v2",   "deepseek_v2-held",   "deepseek_v2-dense",
            "deepseek_v3",   "deepseek_v3-held",   "deepseek_v3-dense",
            "glm4_moe_lite", "glm4_moe_lite-held", "glm4_moe_lite-dense",
            "sarvam_mla",    "sarvam_mla-held",    "sarvam_mla-dense",
            "youtu",         "youtu-untied",       "youtu-halves",
            "minicpm3",      "minicpm3-whole",     "minicpm3-long",
            "kimi_k25-held", "mistral4",           "mistral4-held",
            "mistral4-dense"};
}

std::vector<std::string> variantNames() {
    std::vector<std::string> names{"albert",
                                   "arcee",
                                   "bert-untied",
                                   "biogpt",
                                   "camembert",
                                   "codegen",
                                   "cohere",
                                   "cohere-qk-norm",
                                   "cohere2",
                                   "electra",
                                   "electra-small",
                                   "electra-tanh",
                                   "ernie-tasks",
                                   "ernie4_5",
                                   "eurobert",
                                   "exaone",
                                   "exaone4",
                                   "falcon-alibi",
                                   "falcon-grouped",
                                   "falcon-sequential",
                                   "gemma3",
                                   "gemma3-vision",
                                   "glm",
                                   "glm4",
                                   "gpt_bigcode",
                                   "gpt_bigcode-heads",
                                   "gpt_oss",
                                   "granite",
                                   "granitemoe",
                                   "granitemoehybrid",
                                   "helium",
                                   "hooked-alibi",
                                   "hooked-classifier",
                                   "hooked-grouped",
                                   "hooked-lnpre",
                                   "hooked-parallel",
                                   "hooked-plain",
                                   "hooked-shortformer",
                                   "hooked-solu",
                                   "hooked-solu-pre",
                                   "hooked-wide",
                                   "hunyuan_v1_dense",
                                   "internlm3",
                                   "llava",
                                   "longrope-long",
                                   "longrope-short",
                                   "ministral",
                                   "ministral3",
                                   "ministral3-long",
                                   "mistral-headdim",
                                   "mixtral",
                                   "modernbert",
                                   "modernbert-silu",
                                   "mpnet",
                                   "mpt",
                                   "nemotron",
                                   "nomic_bert",
                                   "olmo",
                                   "olmo3",
                                   "olmoe",
                                   "openai-gpt",
                                   "opt-350m",
                                   "phi-qk-norm",
                                   "qwen2-vl",
                                   "qwen2-window",
                                   "qwen2_moe",
                                   "qwen3-vl",
                                   "qwen3_moe",
                                   "qwen3_vl_moe",
                                   "roberta-padding",
                                   "roberta-relu",
                                   "rope-dynamic",
                                   "rope-linear",
                                   "rope-yarn",
                                   "seed_oss",
                                   "smollm3",
                                   "stablelm-parallel",
                                   "stablelm-qk-norm",
                                   "starcoder2",
                                   "vaultgemma",
                                   "cohere_compass_text",
                                   "cwm",
                                   "flex_olmo",
                                   "glm4v",
                                   "granite_speech",
                                   "granite_swa",
                                   "granitemoe_swa",
                                   "granitemoeshared",
                                   "hunyuan_v1_moe",
                                   "hyperclovax",
                                   "iquestcoder",
                                   "jais2",
                                   "mellum",
                                   "persimmon",
                                   "qianfan_ocr",
                                   "qwen2_5_omni",
                                   "xlm-roberta",
                                   "data2vec-text",
                                   "ernie",
                                   "flaubert",
                                   "flaubert-prenorm",
                                   "gte",
                                   "ibert",
                                   "jina_embeddings_v3",
                                   "luke",
                                   "megatron-bert",
                                   "modernbert-decoder",
                                   "roberta-prelayernorm",
                                   "roformer",
                                   "xlm",
                                   "xlm-roberta-xl"};
    std::ranges::copy(routedNames(), std::back_inserter(names));
    std::ranges::copy(latentNames(), std::back_inserter(names));
    return names;
}

std::string fixtureReference(const std::string& name) {
    return HEADSCOPE_TEST_DATA "/fixtures/" + name + ".reference.h5";
}

std::string sampleReference(const std::string& name) {
    return HEADSCOPE_TEST_DATA "/sample_models/" + name + ".reference.h5";
}

std::shared_ptr<const Model> livelyRandomModel(ModelSpec spec, unsigned long long seed) {
    Random random(seed);
    const float scale = 1.7f / std::sqrt(static_cast<float>(spec.d_model));
    auto model = std::make_shared<Model>();
    model->name = "random";
    Weights& weights = model->weights;
    weights.W_E = randomTensor(random, {spec.d_vocab, spec.d_model}, 1.0f);
    if (spec.positions == PositionKind::Learned)
        weights.W_pos = randomTensor(random, {spec.n_ctx, spec.d_model}, 0.5f);
    for (std::size_t l = 0; l < spec.n_layers; ++l) {
        LayerWeights layer;
        layer.ln1 = randomNorm(random, spec);
        layer.attn.W_QKV = randomTensor(random, {spec.d_model, spec.qkvWidth()}, scale);
        layer.attn.b_QKV = randomTensor(random, {spec.qkvWidth()}, 0.1f);
        layer.attn.W_O = randomTensor(random, {spec.zWidth(), spec.d_model}, scale);
        layer.attn.b_O = randomTensor(random, {spec.d_model}, 0.1f);
        layer.ln2 = randomNorm(random, spec);
        if (spec.mlp == MlpKind::Gated)
            layer.mlp.W_gate = randomTensor(random, {spec.d_model, spec.d_mlp}, scale);
        layer.mlp.W_in = randomTensor(random, {spec.d_model, spec.d_mlp}, scale);
        layer.mlp.W_out = randomTensor(random, {spec.d_mlp, spec.d_model}, scale);
        if (spec.hasExperts(l))
            layer.experts = randomExperts(random, spec, scale);
        weights.layers.push_back(std::move(layer));
    }
    weights.ln_final = randomNorm(random, spec);
    if (spec.relative_buckets != 0)
        weights.W_rel_pos = randomTensor(random, {spec.relative_buckets, spec.n_heads}, 1.0f);
    if (spec.learned_sinks)
        for (LayerWeights& layer : weights.layers)
            layer.attn.sinks = randomTensor(random, {spec.n_heads}, 2.0f);
    spec.tied_unembedding = true;
    spec.attention_scale.assign(spec.n_layers, 1.0 / std::sqrt(static_cast<double>(spec.d_head)));
    model->spec = std::move(spec);
    return model;
}

TokenIds someIds(const ModelSpec& spec, std::size_t count) {
    TokenIds ids;
    for (std::size_t i = 0; i < std::min(count, spec.n_ctx); ++i)
        ids.push_back(static_cast<TokenId>((7 * i + 3) % spec.d_vocab));
    return ids;
}

std::shared_ptr<const Model> postNormModel(bool parallel, MlpKind mlp) {
    ModelSpec spec = loadFixture("gpt2")->spec;
    spec.norm_placement = NormPlacement::Post;
    spec.parallel_residual = parallel;
    spec.mlp = mlp;
    return headscope::randomModel(spec, 3);
}

} // namespace headscope::test

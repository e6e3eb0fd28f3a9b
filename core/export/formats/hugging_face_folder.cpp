#include "core/export/formats/hugging_face_folder.h"

#include "core/base/json.h"
#include "core/export/formats/weight_stream.h"
#include "core/io/atomic_file.h"
#include "core/io/safetensors_writer.h"
#include "core/io/sealed_json.h"
#include "core/loading/model_texts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

using Json = nlohmann::json;

/// Families whose attention in transformers takes the width of a head from the config.
constexpr std::array<std::string_view, 23> kOwnHeadWidth{
    "llama", "mistral", "qwen2",   "qwen3",     "gemma",    "gemma2",   "gemma3_text", "phi",
    "phi3",  "olmo",    "granite", "cohere",    "glm",      "glm4",     "seed_oss",    "starcoder2",
    "arcee", "smollm3", "exaone4", "ministral", "nemotron", "ernie4_5", "vaultgemma"};

/// Others that compute the same when their attention is told how many heads it has.
constexpr std::array<std::string_view, 15> kWithLoader{
    "gpt2", "gpt_neo",    "gpt_neox", "gptj",    "opt",         "openai-gpt", "helium", "stablelm",
    "bert", "distilbert", "electra",  "roberta", "xlm-roberta", "camembert",  "cohere2"};

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& families, std::string_view family) {
    return std::ranges::find(families, family) != families.end();
}

/// Whether attention has an output bias.
bool hasOutputBias(const Model& model) {
    return !model.weights.layers.empty() && !model.weights.layers.front().attn.b_O.empty();
}

/// A config.json that was read before, to be changed and written. Fails for one that is nested
/// deeper than any config is, since writing JSON takes stack for each level.
Result<Json> configToChange(std::string_view config) {
    constexpr JsonLimits kConfigLimits{.depth = 100};
    const auto document = readForeignJson(config, kConfigLimits);
    if (!document)
        return aboutText(document.error(), "The model's config", "export the config again");
    return document->root().json();
}

Json withKeptHeads(Json json, const Model& smaller) {
    for (const char* key : {"pruned_heads", "per_layer_config"})
        json.erase(key);
    if (json.contains(kWholeHeadsKey)) {
        json["num_attention_heads"] = smaller.spec.n_heads;
        json["num_key_value_heads"] = smaller.spec.n_kv_heads;
        json.erase(kWholeHeadsKey);
        json.erase(kWholeKvHeadsKey);
    }
    json[kKeptHeadsKey] = Json::parse(keptHeadsText(smaller.spec));
    if (hasOutputBias(smaller))
        json[kOutputBiasKey] = true;
    return json;
}

/// Whether all layers have as many heads of either kind as the first, which has some.
bool haveSameCounts(const ModelSpec& spec) {
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (spec.headsIn(layer) != spec.headsIn(0) || spec.kvHeadsIn(layer) != spec.kvHeadsIn(0) ||
            !hasEvenGroups(spec, layer))
            return false;
    return spec.n_layers > 0 && spec.headsIn(0) > 0;
}

/// Whether the output bias is one of the family, not one that the cut added to it.
bool hasUsualBias(const Json& json, const Model& smaller) {
    return !hasOutputBias(smaller) || json.value("attention_bias", false) ||
           json.value("attention_out_bias", false) || json.value("use_bias", false) ||
           smaller.spec.family == "phi";
}

/// HuggingFaceConfig::loader_reason of a family that has one of the two forms.
std::string loaderReason(const Json& json, const Model& smaller) {
    const std::string& family = smaller.spec.family;
    if (!haveSameCounts(smaller.spec))
        return "Its layers differ in heads";
    if (!contains(kOwnHeadWidth, family))
        return "A config of '" + family + "' cannot say how wide its heads are";
    if (!hasUsualBias(json, smaller))
        return "A config of '" + family +
               "' cannot say that only the output of attention has a bias";
    return {};
}

Json plainConfig(Json json, const ModelSpec& spec) {
    json[kWholeHeadsKey] = spec.n_heads;
    json[kWholeKvHeadsKey] = spec.n_kv_heads;
    json["num_attention_heads"] = spec.headsIn(0);
    json["num_key_value_heads"] = spec.kvHeadsIn(0);
    json["head_dim"] = spec.d_head;
    return json;
}

/// transformers reads this and then refuses to build layers that are all alike.
Json perLayerConfig(const Json& json, const ModelSpec& spec) {
    constexpr std::array kNames{"num_attention_heads", "n_head", "n_heads", "num_heads"};
    const auto name =
        std::ranges::find_if(kNames, [&](const char* key) { return json.contains(key); });
    Json layers = Json::object();
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        Json& counts = layers[std::to_string(layer)];
        counts[name != kNames.end() ? *name : kNames.front()] = spec.headsIn(layer);
        if (json.contains("num_key_value_heads"))
            counts["num_key_value_heads"] = spec.kvHeadsIn(layer);
    }
    return layers;
}

} // namespace

Result<std::string> cutConfig(const std::string& config, const Model& smaller) {
    auto json = configToChange(config);
    if (!json)
        return json.error();
    return withKeptHeads(*std::move(json), smaller).dump(2);
}

Result<HuggingFaceConfig> huggingFaceConfig(const std::string& config, const Model& smaller) {
    const ModelSpec& spec = smaller.spec;
    const bool has_form =
        contains(kOwnHeadWidth, spec.family) || contains(kWithLoader, spec.family);
    if (has_form && spec.mlp == MlpKind::None)
        return Error{ErrorCode::Unsupported,
                     smaller.name + " cannot be saved as a folder for transformers, whose '" +
                         spec.family + "' always has MLPs; save it as .h5."};
    if (!has_form)
        return Error{ErrorCode::Unsupported,
                     smaller.name +
                         " cannot be saved as a folder for transformers, where the "
                         "family '" +
                         spec.family +
                         "' does not compute the same with fewer heads; save it as .h5."};
    auto whole = configToChange(config);
    if (!whole)
        return whole.error();
    Json json = withKeptHeads(*std::move(whole), smaller);
    std::string reason = loaderReason(json, smaller);
    if (reason.empty())
        return HuggingFaceConfig{plainConfig(std::move(json), spec).dump(2), {}};
    json["per_layer_config"] = perLayerConfig(json, spec);
    return HuggingFaceConfig{json.dump(2), std::move(reason)};
}

namespace {

namespace fs = std::filesystem;

Result<void> writeWeights(const fs::path& path, WeightStream& weights) {
    return writeSafetensors(path, weights.arrays(),
                            [&weights](std::size_t array, const AppendBytes& append) {
                                return weights.produce(array, append);
                            });
}

Result<void> writeTexts(const fs::path& folder,
                        const std::vector<std::pair<const char*, std::string_view>>& texts) {
    for (const auto& [name, text] : texts)
        if (!text.empty())
            if (auto written = writeFileAtomically(folder / name, text); !written)
                return written;
    return {};
}

/// As torch spells it.
const char* torchName(FloatFormat format) {
    switch (format) {
    case FloatFormat::Float16:
        return "float16";
    case FloatFormat::BFloat16:
        return "bfloat16";
    case FloatFormat::Float32:
        break;
    }
    return "float32";
}

Result<std::string> withNumberFormat(const std::string& config, FloatFormat format) {
    auto json = configToChange(config);
    if (!json)
        return json.error();
    json->erase("dtype");
    (*json)["torch_dtype"] = torchName(format);
    return json->dump(2);
}

} // namespace

Result<void> writeHuggingFaceFolder(const fs::path& folder, const TensorSource& weights,
                                    FloatFormat format, const HuggingFaceConfig& config,
                                    const ModelFileTexts& texts, const Progress& progress,
                                    const std::stop_token& stop, const InspectFile& inspect) {
    WeightStream stream(weights, format, progress, stop);
    const auto config_text = withNumberFormat(config.text, format);
    if (!config_text)
        return config_text.error();
    return writeFolderAtomically(folder, [&](const fs::path& made) -> Result<void> {
        if (auto written = writeWeights(made / "model.safetensors", stream); !written)
            return written;
        auto written = writeTexts(
            made, {{"config.json", *config_text},
                   {"tokenizer.json", texts.tokenizer},
                   {"tokenizer_config.json", texts.tokenizer_config},
                   {"load_model.py", config.loader_reason.empty() ? "" : loadModelScript()}});
        if (!written)
            return written;
        return inspect ? inspect(made) : Result<void>();
    });
}

} // namespace headscope

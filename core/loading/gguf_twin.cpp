#include "core/loading/gguf_twin.h"

#include "core/base/text.h"
#include "core/loading/dialect.h"
#include "core/loading/dialects/gguf/gguf_families.h"
#include "core/loading/dialects/gguf/same_network.h"
#include "core/loading/dialects/gguf/spec_keys.h"
#include "core/loading/dialects/gguf/twin_tensors.h"
#include "core/loading/model_source.h"
#include "core/loading/model_texts.h"
#include "core/loading/plan/described_model.h"
#include "core/loading/plan/untied_head.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace headscope {

namespace {

/// Architectures of GGUF by the model_type of what they are written from. Others are only read.
constexpr std::array<std::pair<std::string_view, std::string_view>, 45> kWrittenFamilies{{
    {"gpt2", "gpt2"},
    {"gpt_bigcode", "starcoder"},
    {"gpt_neox", "gptneox"},
    {"falcon", "falcon"},
    {"bloom", "bloom"},
    {"mpt", "mpt"},
    {"llama", "llama"},
    {"mistral", "llama"},
    {"internlm3", "llama"},
    {"qwen2", "qwen2"},
    {"qwen3", "qwen3"},
    {"gemma", "gemma"},
    {"gemma2", "gemma2"},
    {"gemma3_text", "gemma3"},
    {"phi", "phi2"},
    {"phi3", "phi3"},
    {"olmo", "olmo"},
    {"olmo2", "olmo2"},
    {"olmo3", "olmo2"},
    {"stablelm", "stablelm"},
    {"starcoder2", "starcoder2"},
    {"granite", "granite"},
    {"granitemoehybrid", "granite"},
    {"cohere", "command-r"},
    {"cohere2", "cohere2"},
    {"glm", "chatglm"},
    {"glm4", "glm4"},
    {"seed_oss", "seed_oss"},
    {"arcee", "arcee"},
    {"smollm3", "smollm3"},
    {"ernie4_5", "ernie4_5"},
    {"nemotron", "nemotron"},
    {"exaone", "exaone"},
    {"exaone4", "exaone4"},
    {"hunyuan_v1_dense", "hunyuan-dense"},
    {"mixtral", "llama"},
    {"qwen2_moe", "qwen2moe"},
    {"qwen3_moe", "qwen3moe"},
    {"olmoe", "olmoe"},
    {"granitemoe", "granitemoe"},
    {"gpt_oss", "gpt-oss"},
    {"bert", "bert"},
    {"distilbert", "bert"},
    {"modernbert", "modern-bert"},
    {"nomic_bert", "nomic-bert"},
}};

/// Families that are Llama's network, by themselves or without windows, with its tensors: llama.cpp
/// has no other whose layers may differ in heads.
constexpr std::array<std::string_view, 2> kCutFamilies{"llama", "mistral"};

Error notWritten(const Model& model, const std::string& why) {
    return {ErrorCode::Unsupported, model.name + " cannot be written as GGUF: " + why + "."};
}

/// The architecture that GGUF has for the model.
Result<std::string_view> architectureFor(const Model& model) {
    const ModelSpec& spec = model.spec;
    const auto family = std::ranges::find(kWrittenFamilies, spec.family,
                                          &std::pair<std::string_view, std::string_view>::first);
    if (family == kWrittenFamilies.end())
        return notWritten(model, "Headscope writes no models of the family '" + spec.family +
                                     "' in that format; write HDF5");
    if (!spec.absent.attention.empty())
        return notWritten(model, "its file lacks the attention of " +
                                     layersText(spec.absent.attention) + "; write HDF5");
    if (!spec.cannot_run.empty())
        return notWritten(model, "its file lacks parts of the network; write HDF5 or a folder");
    if (spec.output == OutputHead::None && spec.causal)
        return notWritten(model, "it has no unembedding, and for that the readers of GGUF would "
                                 "take the embedding; write HDF5 or a folder");
    if (!spec.pruned_heads.empty())
        return notWritten(model, "heads were cut out of its file by transformers; write HDF5");
    if (spec.output == OutputHead::MaskedLm)
        return notWritten(model, "encoders have no head for masked tokens in that format; write "
                                 "HDF5");
    if (spec.kept_heads.empty())
        return family->second;
    if (std::ranges::find(kCutFamilies, spec.family) == kCutFamilies.end())
        return notWritten(model, "layers with different numbers of heads have a form there for "
                                 "Llama's network only, not for '" +
                                     spec.family + "'; write HDF5");
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (!hasEvenGroups(spec, layer))
            return notWritten(model, "in layer " + std::to_string(layer) +
                                         " key-value heads are read by different numbers of query "
                                         "heads; remove whole groups, or write HDF5");
    return std::string_view("deci");
}

/// A head of zeros for a layer that has none, whose output bias may still count.
std::vector<TwinTensor> headOfZeros(const ModelSpec& spec, std::size_t layer) {
    std::vector<TwinTensor> tensors;
    const std::size_t size = spec.d_head * spec.d_model;
    for (const std::string_view name : kGgufHeadMatrices) {
        const Shape shape = name == kGgufHeadMatrices.back() ? Shape{spec.d_model, spec.d_head}
                                                             : Shape{spec.d_head, spec.d_model};
        tensors.push_back(
            {{atLayer(name, layer) + ".weight", shape, StoredType::Float32, size * sizeof(float)},
             {},
             std::vector<float>(size)});
    }
    return tensors;
}

Result<Architecture> describedBy(const std::string& config, const TensorSource& like,
                                 const ModelSpec& loaded) {
    auto reader = ConfigReader::parse(config, like.path().filename().string());
    if (!reader)
        return reader.error();
    auto architecture = describeArchitecture(*reader, like);
    if (architecture)
        tieAsIn(loaded, *architecture);
    return architecture;
}

Result<DescribedModel> describedAt(const std::filesystem::path& path) {
    const auto opened = openTranslated(path);
    if (!opened)
        return opened.error();
    return describeModel(*opened->file);
}

} // namespace

Result<GgufTwin> ggufTwin(const std::shared_ptr<const Model>& model, const std::string& config,
                          std::shared_ptr<const TensorSource> like) {
    const auto architecture = architectureFor(*model);
    if (!architecture)
        return architecture.error();
    const bool came_from_gguf = like->text(kGgufMetadata).has_value();
    if (const auto why = notInLlamaCpp(model->spec, *architecture, came_from_gguf); !why.empty())
        return notWritten(*model, why);
    const GgufFamily& family = *ggufFamily(*architecture);
    if (model->spec.experts)
        like = withHeldExperts(like, family.names(*like), model->spec.n_layers);
    const auto description = describedBy(config, *like, model->spec);
    if (!description)
        return description.error();
    auto weights = modelSource(model, config, std::move(like));
    if (!weights)
        return weights.error();
    const std::vector<GgufName> names = family.names(**weights);
    std::vector<TwinTensor> twins;
    for (const TensorInfo& tensor : (*weights)->tensors()) {
        std::vector<TwinTensor> found = twinsOf(tensor, names);
        if (found.empty())
            return notWritten(*model, "its tensor '" + tensor.name + "' has no name there");
        addTwins(std::move(found), twins);
    }
    for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
        if (model->spec.headsIn(layer) == 0)
            std::ranges::move(headOfZeros(model->spec, layer), std::back_inserter(twins));
    GgufDescription keys = describeForGguf(model->spec, description->tensors, *architecture);
    for (GgufNumbers& numbers : keys.numbers) {
        const std::size_t size = numbers.values.size();
        twins.push_back({{numbers.tensor, {size}, StoredType::Float32, size * sizeof(float)},
                         {},
                         std::move(numbers.values)});
    }
    GgufTwin twin;
    twin.metadata = {{"general.architecture", std::string(*architecture)},
                     {"general.name", model->name}};
    if (!model->description.empty())
        twin.metadata.push_back({"general.description", model->description});
    std::ranges::move(keys.metadata, std::back_inserter(twin.metadata));
    twin.tensors = twinSource(*std::move(weights), model, std::move(twins));
    twin.caution = sometimesInLlamaCpp(model->spec);
    return twin;
}

Result<void> checkGgufTwin(const std::filesystem::path& path, const ModelSpec& spec,
                           const std::string& config, const TensorSource& like) {
    const auto original = describedBy(config, like, spec);
    if (!original)
        return original.error();
    const auto twin = describedAt(path);
    const std::string difference =
        twin ? networkDifference(*original, twin->architecture) : "all of it";
    if (!difference.empty())
        return Error{ErrorCode::Unsupported,
                     like.path().filename().string() +
                         " cannot be written as GGUF, which has no way to say " + difference +
                         " for this family; write HDF5."};
    return {};
}

} // namespace headscope

#include "core/loading/gguf_twin.h"

#include "core/base/text.h"
#include "core/loading/dialect.h"
#include "core/loading/dialects/gguf/gguf_families.h"
#include "core/loading/dialects/gguf/same_network.h"
#include "core/loading/dialects/gguf/spec_keys.h"
#include "core/loading/dialects/gguf/tensor_forms.h"
#include "core/loading/model_source.h"
#include "core/loading/model_texts.h"
#include "core/loading/plan/described_model.h"
#include "core/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

namespace headscope {

namespace {

/// Architectures of GGUF by the model_type of what they are written from. Others are only read.
constexpr std::array<std::pair<std::string_view, std::string_view>, 23> kWrittenFamilies{{
    {"gpt2", "gpt2"},
    {"gpt_neox", "gptneox"},
    {"bloom", "bloom"},
    {"mpt", "mpt"},
    {"llama", "llama"},
    {"mistral", "llama"},
    {"qwen2", "qwen2"},
    {"qwen3", "qwen3"},
    {"gemma", "gemma"},
    {"gemma2", "gemma2"},
    {"gemma3_text", "gemma3"},
    {"phi", "phi2"},
    {"phi3", "phi3"},
    {"olmo", "olmo"},
    {"olmo2", "olmo2"},
    {"stablelm", "stablelm"},
    {"starcoder2", "starcoder2"},
    {"seed_oss", "seed_oss"},
    {"arcee", "arcee"},
    {"smollm3", "smollm3"},
    {"ernie4_5", "ernie4_5"},
    {"nemotron", "nemotron"},
    {"exaone4", "exaone4"},
}};

/// Families that are Llama's network, by themselves or without windows, with its tensors: llama.cpp
/// has no other whose layers may differ in heads.
constexpr std::array<std::string_view, 2> kCutFamilies{"llama", "mistral"};

/// A tensor of the model and what is done to it.
struct TwinTensor {
    TensorInfo info;           ///< as GGUF has it
    std::string torch;         ///< name in the model; empty for numbers of the description
    std::vector<float> values; ///< those
    GgufForm form = GgufForm::AsIs;
};

class TwinSource final : public TensorSource {
public:
    TwinSource(std::unique_ptr<TensorSource> weights, std::shared_ptr<const Model> model,
               std::vector<TwinTensor> tensors)
        : weights_(std::move(weights)), model_(std::move(model)), twins_(std::move(tensors)) {
        std::ranges::sort(twins_, {}, [](const TwinTensor& twin) -> const std::string& {
            return twin.info.name;
        });
        for (const TwinTensor& twin : twins_)
            tensors_.push_back(twin.info);
    }

    const std::filesystem::path& path() const override { return weights_->path(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }
    std::optional<std::string> text(std::string_view) const override { return std::nullopt; }

    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        if (target.isWords())
            return readNarrowed(tensor, target.words, stop);
        const TensorInfo* const known = find(tensor.name);
        const TwinTensor& twin = twins_[static_cast<std::size_t>(known - tensors_.data())];
        if (twin.torch.empty()) {
            std::ranges::copy(twin.values, target.floats.begin());
            return {};
        }
        if (auto done = weights_->read(*weights_->find(twin.torch), target, std::move(stop)); !done)
            return done;
        rearrange(twin, target.floats);
        return {};
    }

private:
    void rearrange(const TwinTensor& twin, std::span<float> values) const {
        const ModelSpec& spec = model_->spec;
        const Shape& shape = twin.info.shape;
        const std::size_t width = shape.size() > 1 ? shape[1] : 1;
        switch (twin.form) {
        case GgufForm::Rotary:
            return pairAdjacent(values, spec.d_head, width);
        case GgufForm::QkvApart:
            return sortQkvApart(values, spec.n_heads, spec.n_kv_heads, spec.d_head, width);
        case GgufForm::GainPlusOne:
            for (float& value : values)
                value += 1.0f;
            return;
        case GgufForm::Transposed:
            if (shape.size() == 2) {
                const std::vector<float> stored(values.begin(), values.end());
                transposeInto({stored.data(), shape[1], shape[0], shape[0]},
                              {values.data(), shape[0], shape[1], shape[1]});
            }
            return;
        case GgufForm::AsIs:
        case GgufForm::OneRow:
        case GgufForm::FusedRows:
        case GgufForm::BareName:
        case GgufForm::FusedExperts:
        case GgufForm::ExpertsTransposed:
        case GgufForm::AlternatingExperts:
            return;
        }
    }

    std::unique_ptr<TensorSource> weights_;
    std::shared_ptr<const Model> model_;
    std::vector<TwinTensor> twins_;
    std::vector<TensorInfo> tensors_; ///< of the twin with the same index
};

Error notWritten(const Model& model, const std::string& why) {
    return {ErrorCode::Unsupported, model.name + " cannot be written as GGUF: " + why + "."};
}

Result<TwinTensor> twinOf(const TensorInfo& tensor, const std::map<std::string, GgufName>& names,
                          const Model& model) {
    const NameParts parts = partsOf(tensor.name);
    const auto found = names.find(parts.stem);
    if (found == names.end())
        return notWritten(model, "its tensor '" + tensor.name + "' has no name there");
    TwinTensor twin{tensor, tensor.name, {}, found->second.formOf(parts.ending)};
    twin.info.name = replaceAll(found->second.gguf, "{}", parts.layer) + parts.ending;
    if (twin.form == GgufForm::Transposed)
        std::ranges::reverse(twin.info.shape);
    return twin;
}

/// The architecture that GGUF has for the model.
Result<std::string_view> architectureFor(const Model& model) {
    const ModelSpec& spec = model.spec;
    const auto family = std::ranges::find(kWrittenFamilies, spec.family,
                                          &std::pair<std::string_view, std::string_view>::first);
    if (family == kWrittenFamilies.end())
        return notWritten(model, "Headscope writes no models of the family '" + spec.family +
                                     "' in that format; write HDF5");
    if (!spec.pruned_heads.empty())
        return notWritten(model, "heads were cut out of its file by transformers; write HDF5");
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

/// What stands for the heads of a layer that has none, whose output bias may still count.
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
    auto weights = modelSource(model, config, std::move(like));
    if (!weights)
        return weights.error();
    std::map<std::string, GgufName> names;
    for (GgufName& name : ggufFamily(*architecture)->names(**weights))
        names.emplace(name.torch, std::move(name));
    std::vector<TwinTensor> twins;
    for (const TensorInfo& tensor : (*weights)->tensors()) {
        auto twin = twinOf(tensor, names, *model);
        if (!twin)
            return twin.error();
        twins.push_back(*std::move(twin));
    }
    for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
        if (model->spec.headsIn(layer) == 0)
            std::ranges::move(headOfZeros(model->spec, layer), std::back_inserter(twins));
    GgufDescription description = describeForGguf(model->spec, *architecture);
    for (GgufNumbers& numbers : description.numbers) {
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
    std::ranges::move(description.metadata, std::back_inserter(twin.metadata));
    twin.tensors = std::make_unique<TwinSource>(*std::move(weights), model, std::move(twins));
    return twin;
}

Result<void> checkGgufTwin(const std::filesystem::path& path, const std::string& config,
                           const TensorSource& like) {
    auto reader = ConfigReader::parse(config, like.path().filename().string());
    if (!reader)
        return reader.error();
    const auto original = describeArchitecture(*reader, like);
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

#include "core/loading/dialects/keras_model.h"

#include "core/loading/dialects/keras_stack.h"
#include "core/loading/dialects/translated_source.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// A variable of a layer: its name in files of Keras 2 and 3, and what it becomes.
struct Variable {
    std::string_view legacy; ///< after "model_weights.LAYER."
    std::string_view keras3; ///< after the layer's path
    std::string_view torch;  ///< after the name of its place
    bool is_kernel = false;
};

constexpr Variable kEmbedding[] = {{"embeddings", "vars.0", ".weight"}};
constexpr Variable kNorm[] = {{"gamma", "vars.0", ".weight"}, {"beta", "vars.1", ".bias"}};
constexpr Variable kDense[] = {{"kernel", "vars.0", ".weight", true}, {"bias", "vars.1", ".bias"}};
constexpr Variable kAttention[] = {
    {"query.kernel", "query_dense.vars.0", ".q_proj.weight", true},
    {"query.bias", "query_dense.vars.1", ".q_proj.bias"},
    {"key.kernel", "key_dense.vars.0", ".k_proj.weight", true},
    {"key.bias", "key_dense.vars.1", ".k_proj.bias"},
    {"value.kernel", "value_dense.vars.0", ".v_proj.weight", true},
    {"value.bias", "value_dense.vars.1", ".v_proj.bias"},
    {"attention_output.kernel", "output_dense.vars.0", ".o_proj.weight", true},
    {"attention_output.bias", "output_dense.vars.1", ".o_proj.bias"},
};

std::span<const Variable> variablesOf(const KerasLayer& layer) {
    if (layer.class_name == "MultiHeadAttention")
        return kAttention;
    if (layer.class_name == "LayerNormalization")
        return kNorm;
    if (layer.class_name == "Dense")
        return kDense;
    return kEmbedding;
}

bool isVariable(std::string_view name, const KerasLayer& layer, const Variable& variable) {
    if (name == layer.path + "." + std::string(variable.keras3))
        return true;
    if (name.ends_with(":0"))
        name.remove_suffix(2);
    return name.starts_with("model_weights." + layer.name + ".") &&
           name.ends_with("." + std::string(variable.legacy));
}

TranslatedTensor translated(const TensorInfo& tensor, const KerasStack& stack) {
    for (const auto& [layer, place] : stack.places)
        for (const Variable& variable : variablesOf(*layer))
            if (isVariable(tensor.name, *layer, variable))
                return renamed(tensor, place + std::string(variable.torch), variable.is_kernel);
    return renamed(tensor, tensor.name);
}

/// The width of what an attention layer reads and writes, from its kernels [d_model, heads, d_head]
/// and [heads, d_head, d_model]. Nothing where these differ or one is missing.
std::optional<std::size_t> modelWidth(const KerasLayer& layer, const TensorSource& file) {
    std::optional<std::size_t> width;
    for (const Variable& variable : kAttention) {
        if (!variable.is_kernel)
            continue;
        const auto kernel = std::ranges::find_if(file.tensors(), [&](const TensorInfo& tensor) {
            return isVariable(tensor.name, layer, variable);
        });
        if (kernel == file.tensors().end() || kernel->shape.empty())
            return std::nullopt;
        const bool writes = variable.torch.starts_with(".o_proj");
        const std::size_t found = writes ? kernel->shape.back() : kernel->shape.front();
        if (width.value_or(found) != found)
            return std::nullopt;
        width = found;
    }
    return width;
}

std::vector<TranslatedTensor> translatedTensors(const TensorSource& file, const KerasStack& stack) {
    std::vector<TranslatedTensor> tensors;
    for (const TensorInfo& tensor : file.tensors())
        tensors.push_back(translated(tensor, stack));
    return tensors;
}

/// What names of variables of an attention layer end with, without the dot: its query kernel's.
constexpr std::string_view kQueries[] = {kAttention[0].keras3, kAttention[0].legacy};

/// The path of the attention layer whose query kernel this is; empty for any other variable.
std::string_view layerOfQueries(const TensorInfo& tensor) {
    std::string_view name = tensor.name;
    if (name.ends_with(":0"))
        name.remove_suffix(2);
    for (const std::string_view ending : kQueries)
        if (name.ends_with(ending) && name.size() > ending.size() + 1 &&
            name[name.size() - ending.size() - 1] == '.' && tensor.shape.size() == 3)
            return name.substr(0, name.size() - ending.size() - 1);
    return {};
}

const TensorInfo* variableOf(const KerasLayer& layer, std::string_view torch,
                             const TensorSource& file) {
    for (const Variable& variable : kAttention)
        if (variable.torch == torch)
            for (const TensorInfo& tensor : file.tensors())
                if (isVariable(tensor.name, layer, variable))
                    return &tensor;
    return nullptr;
}

/// The attention layer at a path, as the shapes of its kernels describe it; null where they are not
/// those of MultiHeadAttention, which has as many keys as queries.
std::optional<KerasLayer> attentionAt(std::string_view path, const TensorSource& file) {
    constexpr std::string_view legacy = "model_weights.";
    KerasLayer layer;
    layer.class_name = "MultiHeadAttention";
    layer.path = path;
    layer.name = path.starts_with(legacy) ? path.substr(legacy.size()) : path;
    const TensorInfo* const query = variableOf(layer, ".q_proj.weight", file);
    const TensorInfo* const key = variableOf(layer, ".k_proj.weight", file);
    const TensorInfo* const value = variableOf(layer, ".v_proj.weight", file);
    const bool whole = query != nullptr && key != nullptr && value != nullptr &&
                       variableOf(layer, ".o_proj.weight", file) != nullptr;
    if (!whole || query->shape.size() != 3 || value->shape.size() != 3 ||
        key->shape != query->shape || value->shape[1] != query->shape[1])
        return std::nullopt;
    layer.config = {{"num_heads", query->shape[1]},
                    {"key_dim", query->shape[2]},
                    {"value_dim", value->shape[2]},
                    {"use_bias", variableOf(layer, ".q_proj.bias", file) != nullptr}};
    return layer;
}

/// Attention inside of layers that Keras does not know: their variables are in the file, and the
/// config says nothing of them.
std::vector<KerasLayer> innerAttention(const TensorSource& file, const KerasGraph& graph) {
    std::vector<KerasLayer> layers;
    for (const TensorInfo& tensor : file.tensors()) {
        const std::string_view path = layerOfQueries(tensor);
        const bool is_known = path.empty() || path.starts_with("optimizer") ||
                              std::ranges::any_of(graph.layers, [&](const KerasLayer& layer) {
                                  return layer.class_name == "MultiHeadAttention" &&
                                         isVariable(tensor.name, layer, kAttention[0]);
                              });
        if (!is_known)
            if (auto layer = attentionAt(path, file))
                layers.push_back(*std::move(layer));
    }
    return layers;
}

/// Where the network as a whole cannot be run, for the reason in `refusal`.
Result<Translation> attentionAlone(std::unique_ptr<TensorSource> file, KerasGraph graph,
                                   const std::string& source, Error refusal) {
    const std::vector<KerasLayer> inner = innerAttention(*file, graph);
    if (!inner.empty()) {
        graph.layers.insert(graph.layers.end(), inner.begin(), inner.end());
        refusal.message = source + " has attention inside of layers of its own, such as '" +
                          inner.front().name +
                          "', and nothing tells how these compute, so only the attention is open, "
                          "as weights; save a model of Keras's own layers to run it.";
    }
    auto attention = findKerasAttention(
        graph, [&file](const KerasLayer& layer) { return modelWidth(layer, *file); });
    if (!attention)
        return refusal;
    auto tensors = translatedTensors(*file, *attention);
    attention->config["cannot_run"] = refusal.message;
    auto shown = translatedSource(std::move(file), std::move(tensors),
                                  {{"config", attention->config.dump()}});
    if (!shown)
        return shown.error();
    Translation translation{std::move(*shown), std::move(attention->notes)};
    translation.notes.emplace_back("Only the attention layers are open, as weights.");
    return translation;
}

} // namespace

Result<Translation> translateKerasModel(std::unique_ptr<TensorSource> file, std::string_view config,
                                        const std::string& source) {
    const auto graph = readKerasGraph(config, source);
    if (!graph)
        return graph.error().code == ErrorCode::Unsupported
                   ? attentionAlone(std::move(file), {}, source, graph.error())
                   : graph.error();
    auto stack = findKerasStack(*graph, source);
    if (!stack)
        return stack.error().code == ErrorCode::Unsupported
                   ? attentionAlone(std::move(file), *graph, source, stack.error())
                   : stack.error();
    auto tensors = translatedTensors(*file, *stack);
    auto shown =
        translatedSource(std::move(file), std::move(tensors), {{"config", stack->config.dump()}});
    if (!shown)
        return shown.error();
    Translation translation{std::move(*shown), std::move(stack->notes)};
    translation.notes.emplace_back(
        "A functional Keras model: its layers were recognised as transformer blocks.");
    return translation;
}

} // namespace headscope

#include "core/loading/dialects/keras_graph.h"

#include "core/base/json.h"
#include "core/io/sealed_json.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace headscope {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxDepth = 64;

std::string textAt(const json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
}

const json& valueAt(const json& object, const char* key) {
    static const json none;
    if (!object.is_object())
        return none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

/// Keras 2 writes a reference to a layer's output as ["name", 0, 0] or ["name", 0, 0, {…}].
bool isOldReference(const json& value) {
    return value.is_array() && value.size() >= 3 && value[0].is_string() && value[1].is_number();
}

/// The layers that the arguments of a call refer to. Depth is bounded by the parser.
void collectInputs(const json& value, std::vector<std::string>& names) {
    if (textAt(value, "class_name") == "__keras_tensor__") {
        const json& history = valueAt(valueAt(value, "config"), "keras_history");
        if (history.is_array() && !history.empty() && history[0].is_string())
            names.push_back(history[0].get<std::string>());
        return;
    }
    if (isOldReference(value))
        names.push_back(value[0].get<std::string>());
    if (value.is_structured())
        for (const json& child : value)
            collectInputs(child, names);
}

bool asksForCausalMask(const json& value) {
    const json& flag = valueAt(value, "use_causal_mask");
    if (flag.is_boolean())
        return flag.get<bool>();
    return value.is_structured() && std::ranges::any_of(value, asksForCausalMask);
}

/// Keras's to_snake_case: "MultiHeadAttention" to "multi_head_attention".
std::string snakeCase(std::string_view class_name) {
    std::string snake;
    for (std::size_t i = 0; i < class_name.size(); ++i) {
        const auto letter = static_cast<unsigned char>(class_name[i]);
        if (i > 0 && std::isupper(letter) != 0)
            snake += '_';
        snake += static_cast<char>(std::tolower(letter));
    }
    return snake;
}

KerasLayer readLayer(const json& entry) {
    KerasLayer layer;
    layer.class_name = textAt(entry, "class_name");
    layer.config = valueAt(entry, "config");
    layer.name = textAt(entry, "name");
    const json& calls = valueAt(entry, "inbound_nodes");
    if (calls.is_array() && calls.size() == 1) {
        collectInputs(calls, layer.inputs);
        layer.causal = asksForCausalMask(calls);
    }
    // "x + y" of Keras 2.
    if (textAt(layer.config, "function") == "__operators__.add")
        layer.class_name = "Add";
    return layer;
}

/// Lets the readers of a Dropout read what it reads.
void leaveOutDropout(KerasGraph& graph) {
    std::map<std::string, std::string, std::less<>> source_of;
    for (KerasLayer& layer : graph.layers) {
        for (std::string& input : layer.inputs)
            if (const auto dropout = source_of.find(input); dropout != source_of.end())
                input = dropout->second;
        if (layer.class_name == "Dropout" && layer.inputs.size() == 1)
            source_of.emplace(layer.name, layer.inputs.front());
    }
    std::erase_if(graph.layers,
                  [&](const KerasLayer& layer) { return source_of.contains(layer.name); });
}

} // namespace

const KerasLayer* KerasGraph::find(std::string_view name) const {
    const auto found = std::ranges::find(layers, name, &KerasLayer::name);
    return found == layers.end() ? nullptr : &*found;
}

std::vector<const KerasLayer*> KerasGraph::readersOf(std::string_view name) const {
    std::vector<const KerasLayer*> readers;
    for (const KerasLayer& layer : layers)
        if (std::ranges::find(layer.inputs, name) != layer.inputs.end())
            readers.push_back(&layer);
    return readers;
}

Result<KerasGraph> readKerasGraph(std::string_view text, const std::string& source) {
    const auto document = readForeignJson(text, {.depth = kMaxDepth});
    if (!document)
        return aboutText(document.error(), source, "save the model again");
    const json& root = document->root().json();
    const json& layers = valueAt(valueAt(root, "config"), "layers");
    if (!layers.is_array())
        return Error{ErrorCode::Unsupported,
                     source + " describes the Keras class '" + textAt(root, "class_name") +
                         "' without its layers, so nothing tells how it computes; save a "
                         "functional model."};
    KerasGraph graph;
    std::map<std::string, std::size_t> seen;
    for (const json& entry : layers) {
        KerasLayer layer = readLayer(entry);
        const std::string snake = snakeCase(layer.class_name);
        const std::size_t number = seen[snake]++;
        layer.path = "layers." + snake + (number == 0 ? "" : "_" + std::to_string(number));
        graph.layers.push_back(std::move(layer));
    }
    leaveOutDropout(graph);
    return graph;
}

} // namespace headscope

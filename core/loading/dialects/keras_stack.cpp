#include "core/loading/dialects/keras_stack.h"

#include "core/base/text.h"

#include <algorithm>
#include <optional>

namespace headscope {

using nlohmann::json;

namespace {

const std::string kAttentionClass = "MultiHeadAttention";
const std::string kNormClass = "LayerNormalization";

/// One block; the MLP's layers are null when it has none.
struct Block {
    const KerasLayer* norm1 = nullptr;
    const KerasLayer* attention = nullptr;
    const KerasLayer* norm2 = nullptr;
    const KerasLayer* dense_in = nullptr;
    const KerasLayer* dense_out = nullptr;
    const KerasLayer* output = nullptr; ///< what the next block reads
};

class StackFinder {
public:
    StackFinder(const KerasGraph& graph, const std::string& source)
        : graph_(graph), source_(source) {}

    Result<KerasStack> run();

private:
    const KerasLayer* reader(const KerasLayer* of, const std::string& class_name) const;
    const KerasLayer* sum(const KerasLayer* a, const KerasLayer* b) const;
    std::optional<Block> postNormBlock(const KerasLayer* x) const;
    std::optional<Block> preNormBlock(const KerasLayer* x) const;
    void takeMlp(Block& block, const KerasLayer* from) const;
    void place(const KerasLayer* layer, const std::string& name);
    void placeBlock(const Block& block);
    void placeRest(const KerasLayer* x);
    Result<void> checkNorms();
    Result<void> agree(const char* key, const json& value);
    Result<void> describeBlock(const Block& block);
    Error refuse(const std::string& why) const;

    const KerasGraph& graph_;
    const std::string& source_;
    std::vector<Block> blocks_;
    KerasStack stack_;
};

/// The one layer of that class that reads the output of another.
const KerasLayer* StackFinder::reader(const KerasLayer* of, const std::string& class_name) const {
    const KerasLayer* found = nullptr;
    if (of != nullptr)
        for (const KerasLayer* layer : graph_.readersOf(of->name))
            if (layer->class_name == class_name)
                found = found == nullptr ? layer : nullptr;
    return found;
}

const KerasLayer* StackFinder::sum(const KerasLayer* a, const KerasLayer* b) const {
    const KerasLayer* const add = reader(b, "Add");
    const bool both = add != nullptr && a != nullptr && add->inputs.size() == 2 &&
                      std::ranges::find(add->inputs, a->name) != add->inputs.end() && a != b;
    return both ? add : nullptr;
}

bool isSelfAttention(const KerasLayer* layer, const KerasLayer* x) {
    return layer != nullptr && layer->inputs.size() >= 2 &&
           std::ranges::all_of(layer->inputs,
                               [&](const std::string& input) { return input == x->name; });
}

void StackFinder::takeMlp(Block& block, const KerasLayer* from) const {
    block.dense_in = reader(from, "Dense");
    block.dense_out = reader(block.dense_in, "Dense");
}

std::optional<Block> StackFinder::postNormBlock(const KerasLayer* x) const {
    Block block;
    block.attention = reader(x, kAttentionClass);
    if (!isSelfAttention(block.attention, x))
        return std::nullopt;
    block.norm1 = reader(sum(x, block.attention), kNormClass);
    if (block.norm1 == nullptr)
        return std::nullopt;
    takeMlp(block, block.norm1);
    block.norm2 = reader(sum(block.norm1, block.dense_out), kNormClass);
    if (block.norm2 == nullptr)
        return std::nullopt;
    block.output = block.norm2;
    return block;
}

std::optional<Block> StackFinder::preNormBlock(const KerasLayer* x) const {
    Block block;
    block.norm1 = reader(x, kNormClass);
    block.attention = reader(block.norm1, kAttentionClass);
    if (block.attention == nullptr || !isSelfAttention(block.attention, block.norm1))
        return std::nullopt;
    const KerasLayer* const middle = sum(x, block.attention);
    block.norm2 = reader(middle, kNormClass);
    takeMlp(block, block.norm2);
    block.output = sum(middle, block.dense_out);
    return block.output == nullptr ? std::nullopt : std::optional(block);
}

Result<KerasStack> StackFinder::run() {
    const auto embedding = std::ranges::find(graph_.layers, "Embedding", &KerasLayer::class_name);
    if (embedding == graph_.layers.end())
        return refuse("it has no Embedding layer");
    const KerasLayer* x = &*embedding;
    const bool post = postNormBlock(x).has_value();
    const auto n_attention = static_cast<std::size_t>(
        std::ranges::count(graph_.layers, kAttentionClass, &KerasLayer::class_name));
    while (blocks_.size() < n_attention) {
        const auto block = post ? postNormBlock(x) : preNormBlock(x);
        if (!block)
            break;
        blocks_.push_back(*block);
        x = block->output;
    }
    if (blocks_.empty() || blocks_.size() != n_attention)
        return refuse("they are not all in transformer blocks, x + attention(norm(x)) and x + "
                      "dense(dense(norm(x))) or the same with the norm after the sum");
    stack_.config = {{"model_type", "keras_transformer"},
                     {"norm_placement", post ? "post" : "pre"},
                     {"num_hidden_layers", blocks_.size()}};
    place(&*embedding, "embedding");
    for (const Block& block : blocks_) {
        placeBlock(block);
        if (auto good = describeBlock(block); !good)
            return good.error();
    }
    stack_.config["vocab_size"] = embedding->config.value("input_dim", json());
    stack_.config["hidden_size"] = embedding->config.value("output_dim", json());
    placeRest(x);
    if (auto good = checkNorms(); !good)
        return good.error();
    return std::move(stack_);
}

void StackFinder::place(const KerasLayer* layer, const std::string& name) {
    stack_.places.push_back({layer, name});
}

void StackFinder::placeBlock(const Block& block) {
    const std::size_t index = static_cast<std::size_t>(&block - blocks_.data());
    const std::string prefix = "blocks." + std::to_string(index) + ".";
    place(block.norm1, prefix + "norm_1");
    place(block.attention, prefix + "attn");
    place(block.norm2, prefix + "norm_2");
    place(block.dense_in, prefix + "mlp.dense_in");
    place(block.dense_out, prefix + "mlp.dense_out");
}

void StackFinder::placeRest(const KerasLayer* x) {
    const KerasLayer* const final_norm = reader(x, kNormClass);
    stack_.config["final_norm"] = final_norm != nullptr;
    if (final_norm != nullptr) {
        place(final_norm, "final_norm");
        x = final_norm;
    }
    const KerasLayer* const head = reader(x, "Dense");
    const bool unembeds =
        head != nullptr && head->config.value("units", json()) == stack_.config["vocab_size"];
    stack_.config["unembedding"] = unembeds;
    if (unembeds) {
        stack_.config["unembedding_bias"] = head->config.value("use_bias", true);
        place(head, "unembedding");
        x = head;
    }
    for (const KerasLayer* left : graph_.readersOf(x->name))
        stack_.notes.push_back("The layer '" + left->name + "' (" + left->class_name +
                               ") and what follows it are left out: only the transformer "
                               "blocks are run.");
}

/// Sets a key of the config, which all blocks must agree on.
Result<void> StackFinder::agree(const char* key, const json& value) {
    const auto [known, is_new] = stack_.config.emplace(key, value);
    if (!is_new && *known != value)
        return refuse("their blocks differ in '" + std::string(key) + "': " + known->dump() +
                      " and " + value.dump());
    return {};
}

Result<void> StackFinder::describeBlock(const Block& block) {
    const json& attention = block.attention->config;
    const json& dense = block.dense_in->config;
    const std::pair<const char*, json> facts[] = {
        {"num_attention_heads", attention.value("num_heads", json())},
        {"head_dim", attention.value("key_dim", json())},
        {"value_head_dim", attention.value("value_dim", attention.value("key_dim", json()))},
        {"attention_bias", attention.value("use_bias", json(true))},
        {"causal", block.attention->causal},
        {"intermediate_size", dense.value("units", json())},
        {"hidden_act", dense.value("activation", json())},
        {"mlp_bias", dense.value("use_bias", json(true))},
        {"mlp_bias", block.dense_out->config.value("use_bias", json(true))},
        {"output_activation", block.dense_out->config.value("activation", json("linear"))},
    };
    for (const auto& [key, value] : facts)
        if (auto good = agree(key, value); !good)
            return good.error();
    if (stack_.config.at("output_activation") != "linear")
        return refuse("their blocks have an activation after the second Dense");
    return {};
}

Result<void> StackFinder::checkNorms() {
    stack_.config.erase("output_activation");
    for (const auto& [layer, name] : stack_.places) {
        if (layer->class_name != kNormClass)
            continue;
        const json& norm = layer->config;
        if (!norm.value("center", true) || !norm.value("scale", true) ||
            norm.value("rms_scaling", false))
            return refuse("'" + layer->name + "' is not a norm with gain and bias");
        if (auto good = agree("layer_norm_eps", norm.value("epsilon", json())); !good)
            return good.error();
    }
    return {};
}

Error StackFinder::refuse(const std::string& why) const {
    std::vector<std::string> found;
    for (const KerasLayer& layer : graph_.layers)
        if (layer.class_name == kAttentionClass)
            found.push_back("'" + layer.name + "'");
    if (found.empty())
        return {ErrorCode::Unsupported,
                source_ + " describes a network without MultiHeadAttention layers; open a model "
                          "that has some."};
    return {ErrorCode::Unsupported, source_ + " has the attention layers " + join(found, ", ") +
                                        " in a network that cannot be run: " + why +
                                        "; open a model of transformer blocks."};
}

} // namespace

Result<KerasStack> findKerasStack(const KerasGraph& graph, const std::string& source) {
    try {
        return StackFinder(graph, source).run();
    } catch (const json::exception&) {
        return Error{ErrorCode::Malformed,
                     source + " has a layer whose config is damaged; save the model again."};
    }
}

using nlohmann::json;

namespace {

/// A size of attention layers, as a key of the config and in words.
struct AttentionSize {
    const char* key;
    const char* name;
};

constexpr AttentionSize kAttentionSizes[] = {{"num_attention_heads", "heads"},
                                             {"head_dim", "d_head"},
                                             {"value_head_dim", "d_head of values"},
                                             {"hidden_size", "d_model"}};

struct SizedLayer {
    const KerasLayer* layer;
    json sizes; ///< by the keys above
};

json sizesOf(const KerasLayer& layer, std::size_t width) {
    const json key_dim = layer.config.value("key_dim", json());
    return {{"num_attention_heads", layer.config.value("num_heads", json())},
            {"head_dim", key_dim},
            {"value_head_dim", layer.config.value("value_dim", key_dim)},
            {"hidden_size", width}};
}

/// The sizes that most layers have, of equally common ones the first; null where there are no
/// layers.
json mostCommonSizes(const std::vector<SizedLayer>& layers) {
    const auto how_common = [&](const SizedLayer& layer) {
        return std::ranges::count(layers, layer.sizes, &SizedLayer::sizes);
    };
    const auto most = std::ranges::max_element(layers, {}, how_common);
    return most == layers.end() ? json() : most->sizes;
}

/// "'attention_2' is left aside: heads 2, not 4."
std::string whyAside(const SizedLayer& aside, const json& sizes) {
    std::vector<std::string> differences;
    for (const auto& [key, name] : kAttentionSizes)
        if (aside.sizes.at(key) != sizes.at(key))
            differences.push_back(std::string(name) + " " + aside.sizes.at(key).dump() + ", not " +
                                  sizes.at(key).dump());
    return "'" + aside.layer->name + "' is left aside: " + join(differences, "; ") + ".";
}

} // namespace

std::optional<KerasStack> findKerasAttention(const KerasGraph& graph, const WidthOf& width_of) {
    KerasStack found;
    std::vector<SizedLayer> layers;
    for (const KerasLayer& layer : graph.layers) {
        if (layer.class_name != kAttentionClass || !layer.config.is_object())
            continue;
        if (const auto width = width_of(layer))
            layers.push_back({&layer, sizesOf(layer, *width)});
        else
            found.notes.push_back("'" + layer.name +
                                  "' is left aside: the file lacks some of its "
                                  "matrices, or they are for vectors of "
                                  "different widths.");
    }
    const json sizes = mostCommonSizes(layers);
    bool causal = true;
    bool biases = true;
    for (const SizedLayer& each : layers) {
        if (each.sizes != sizes) {
            found.notes.push_back(whyAside(each, sizes));
            continue;
        }
        const std::string index = std::to_string(found.places.size());
        found.notes.push_back("Layer " + index + " is '" + each.layer->name + "'.");
        found.places.push_back({each.layer, "blocks." + index + ".attn"});
        causal = causal && each.layer->causal;
        biases = biases && each.layer->config.value("use_bias", json(true)) == json(true);
    }
    if (found.places.empty())
        return std::nullopt;
    found.config = {{"model_type", "keras_attention"},
                    {"num_hidden_layers", found.places.size()},
                    {"attention_bias", biases},
                    {"causal", causal}};
    found.config.update(sizes);
    return found;
}

} // namespace headscope

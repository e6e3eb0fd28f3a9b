// Language models with eyes: the language model runs, what sees is left aside. Without an image
// they compute what their text models compute alone.

#include "core/loading/architectures/common.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headscope {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// The family of the text model, by the model_type of the whole where the text has none of its own,
/// and by what text models are called that exist only inside others.
constexpr std::array kTextFamilies{
    Pair{"gemma3", "gemma3_text"},  Pair{"idefics3", "llama"},
    Pair{"internvl", "qwen2"},      Pair{"llava", "llama"},
    Pair{"llava_next", "llama"},    Pair{"llava_onevision", "qwen2"},
    Pair{"mistral3", "mistral"},    Pair{"qwen2_vl", "qwen2"},
    Pair{"qwen2_5_vl", "qwen2"},    Pair{"qwen3_vl", "qwen3"},
    Pair{"smolvlm", "llama"},       Pair{"vipllava", "llama"},
    Pair{"qwen2_vl_text", "qwen2"}, Pair{"qwen2_5_vl_text", "qwen2"},
    Pair{"qwen3_vl_text", "qwen3"},
};

/// Sizes that a config inside another leaves out where transformers has them as defaults.
constexpr std::array kUsualSizes{
    Pair{"llama", R"({"hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32,
                      "num_hidden_layers": 32, "vocab_size": 32000})"},
    Pair{"mistral", R"({"hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
                        "num_hidden_layers": 32, "num_key_value_heads": 8, "sliding_window": 4096,
                        "vocab_size": 32000})"},
};

/// What a table says of `name`; `otherwise` where it says nothing.
template <std::size_t Size>
std::string_view lookUp(const std::array<Pair, Size>& table, std::string_view name,
                        std::string_view otherwise) {
    const auto found = std::ranges::find(table, name, &Pair::first);
    return found == table.end() ? otherwise : found->second;
}

std::vector<ExtraRule> imageTensors() {
    std::vector<ExtraRule> rules;
    for (const char* glob : {"*vision_tower.*", "*vision_model.*", "*visual.*",
                             "*multi_modal_projector.*", "*connector.*", "*image_newline"})
        rules.push_back({glob, "images are not run, only the language model"});
    return rules;
}

/// Early configs of Qwen2-VL have the keys of their text model among their own.
ConfigReader textConfig(ConfigReader& config, std::string_view whole) {
    auto text = config.object("text_config");
    if (!text && !whole.starts_with("qwen2"))
        config.size({"text_config"});
    return text ? *text : config;
}

/// The head follows what the config says of the whole, also against what it says of the text.
void tieHead(Architecture& architecture, const TensorSource& file) {
    const bool stored = std::ranges::any_of(file.tensors(), [](const TensorInfo& tensor) {
        return tensor.name.ends_with("lm_head.weight");
    });
    if (stored)
        return;
    architecture.spec.tied_unembedding = true;
    std::erase_if(architecture.tensors,
                  [](const TensorRule& rule) { return rule.role == WeightRole::W_U; });
}

} // namespace

Architecture describeVisionLanguage(ConfigReader& config, const TensorSource& file) {
    const std::string whole = config.text({"model_type"});
    ConfigReader text = textConfig(config, whole);
    if (config.error())
        return {};
    const std::string type = text.textOr({"model_type"}, whole);
    const std::string_view name = lookUp(kTextFamilies, type, type);
    const auto family = std::ranges::find(families(), name, &Family::model_type);
    if (family == families().end() || family->describe == &describeVisionLanguage) {
        config.fail(ErrorCode::Unsupported,
                    "has a text model of the type '" + type +
                        "' inside, which is of no family "
                        "that can be run; open a model whose text model is one.");
        return {};
    }
    text.assume(lookUp(kUsualSizes, name, "{}"));
    Architecture architecture = family->describe(text, file);
    if (config.flagOr({"tie_word_embeddings"}, false))
        tieHead(architecture, file);
    const auto images = imageTensors();
    architecture.extras.insert(architecture.extras.begin(), images.begin(), images.end());
    return architecture;
}

} // namespace headscope

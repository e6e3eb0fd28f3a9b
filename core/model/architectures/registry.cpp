#include "core/base/text.h"
#include "core/model/architectures/architecture.h"

#include <algorithm>
#include <array>

namespace headscope {

Architecture describeAttention(ConfigReader&, const TensorSource&);
Architecture describeBert(ConfigReader&, const TensorSource&);
Architecture describeBloom(ConfigReader&, const TensorSource&);
Architecture describeDistilbert(ConfigReader&, const TensorSource&);
Architecture describeFalcon(ConfigReader&, const TensorSource&);
Architecture describeGemma(ConfigReader&, const TensorSource&);
Architecture describeGemma2(ConfigReader&, const TensorSource&);
Architecture describeGemma3(ConfigReader&, const TensorSource&);
Architecture describeGemma3Text(ConfigReader&, const TensorSource&);
Architecture describeGpt2(ConfigReader&, const TensorSource&);
Architecture describeGptj(ConfigReader&, const TensorSource&);
Architecture describeGptNeo(ConfigReader&, const TensorSource&);
Architecture describeGptNeox(ConfigReader&, const TensorSource&);
Architecture describeKerasTransformer(ConfigReader&, const TensorSource&);
Architecture describeLlama(ConfigReader&, const TensorSource&);
Architecture describeMicrogpt(ConfigReader&, const TensorSource&);
Architecture describeMistral(ConfigReader&, const TensorSource&);
Architecture describeOlmo2(ConfigReader&, const TensorSource&);
Architecture describeOpt(ConfigReader&, const TensorSource&);
Architecture describePhi(ConfigReader&, const TensorSource&);
Architecture describePhi3(ConfigReader&, const TensorSource&);
Architecture describeQwen2(ConfigReader&, const TensorSource&);
Architecture describeQwen3(ConfigReader&, const TensorSource&);
Architecture describeRoberta(ConfigReader&, const TensorSource&);
Architecture describeStablelm(ConfigReader&, const TensorSource&);

namespace {

constexpr std::array kFamilies{
    Family{"gpt2", describeGpt2},
    Family{"gpt_neo", describeGptNeo},
    Family{"gpt_neox", describeGptNeox},
    Family{"gptj", describeGptj},
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
    Family{"gemma3", describeGemma3},
    Family{"phi", describePhi},
    Family{"phi3", describePhi3},
    Family{"olmo2", describeOlmo2},
    Family{"stablelm", describeStablelm},
    Family{"bert", describeBert},
    Family{"distilbert", describeDistilbert},
    Family{"roberta", describeRoberta},
    Family{"xlm-roberta", describeRoberta},
    Family{"camembert", describeRoberta},
    Family{"keras_transformer", describeKerasTransformer},
    Family{"microgpt", describeMicrogpt},
    Family{"attention", describeAttention},
};

/// Options that any Hugging Face config may carry and that make it another network.
void refuseForeignFeatures(ConfigReader& config) {
    config.refuse("quantization_config", "quantised weights are not supported; export the "
                                         "model in float16 or float32");
    config.refuse("pruned_heads", "weights with heads cut out are not supported; export the whole "
                                  "model and switch heads off here");
    config.refuse("is_encoder_decoder", "encoder-decoder networks are not supported");
    config.refuse("add_cross_attention", "cross-attention is not supported");
}

} // namespace

std::string_view layoutName(Layout layout) {
    switch (layout) {
    case Layout::AsStored:
        return "as stored";
    case Layout::Transposed:
        return "transposed";
    case Layout::PerHead:
        return "heads joined";
    case Layout::GroupedQkv:
        return "transposed, queries, keys and values sorted apart";
    case Layout::FirstHalf:
        return "first half of the rows, transposed";
    case Layout::SecondHalf:
        return "second half of the rows, transposed";
    case Layout::GainMinusOne:
        return "1 added";
    }
    return "";
}

std::span<const Family> families() {
    return kFamilies;
}

std::string supportedModelTypes() {
    std::vector<std::string> names;
    names.reserve(kFamilies.size());
    for (const Family& family : kFamilies)
        names.emplace_back(family.model_type);
    return join(names, ", ");
}

Result<Architecture> describeArchitecture(ConfigReader& config, const TensorSource& file) {
    const std::string model_type = config.text({"model_type"});
    if (config.error())
        return *config.error();
    const auto family = std::ranges::find(kFamilies, model_type, &Family::model_type);
    if (family == kFamilies.end())
        return Error{ErrorCode::Unsupported, config.source() + " has model_type '" + model_type +
                                                 "', expected one of " + supportedModelTypes() +
                                                 "; open a model of one of these families."};
    refuseForeignFeatures(config);
    Architecture architecture = family->describe(config, file);
    if (config.error())
        return *config.error();
    architecture.spec.family = model_type;
    return architecture;
}

} // namespace headscope

#include "core/base/text.h"
#include "core/model/architectures/architecture.h"

#include <algorithm>
#include <array>

namespace headscope {

Architecture describeAttention(ConfigReader&, const TensorSource&);
Architecture describeBert(ConfigReader&, const TensorSource&);
Architecture describeGpt2(ConfigReader&, const TensorSource&);
Architecture describeLlama(ConfigReader&, const TensorSource&);
Architecture describeMicrogpt(ConfigReader&, const TensorSource&);

namespace {

constexpr std::array kFamilies{
    Family{"gpt2", describeGpt2},           Family{"llama", describeLlama},
    Family{"bert", describeBert},           Family{"microgpt", describeMicrogpt},
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

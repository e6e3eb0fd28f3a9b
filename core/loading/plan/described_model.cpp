#include "core/loading/plan/described_model.h"

#include "core/loading/model_texts.h"

namespace headscope {

Result<DescribedModel> describeModel(const TensorSource& file) {
    const std::string name = file.path().filename().string();
    auto text = findConfig(file);
    if (!text)
        return text.error();
    if (!*text)
        return Error{ErrorCode::NotFound,
                     name + " has no attribute 'config' and there is no config.json beside it; "
                            "put the model's config.json there."};
    auto config = ConfigReader::parse((*text)->content, (*text)->source);
    if (!config)
        return config.error();
    auto architecture = describeArchitecture(*config, file);
    if (!architecture)
        return architecture.error();
    if (auto good = checkSpec(architecture->spec, config->source()); !good)
        return good.error();
    return DescribedModel{*std::move(config), *std::move(architecture)};
}

} // namespace headscope

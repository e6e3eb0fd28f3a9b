#include "core/model/dialects/dialect.h"

#include "core/model/config_reader.h"
#include "core/model/dialects/keras_hub.h"
#include "core/model/dialects/tensorflow.h"
#include "core/model/model_texts.h"

namespace headscope {

namespace {

Result<ConfigReader> kerasConfig(const TensorSource& file) {
    auto text = findModelText(file, "config", kLargestConfig);
    if (!text)
        return text.error();
    const std::string name = file.path().filename().string();
    if (!*text)
        return Error{ErrorCode::NotFound,
                     name + " holds the weights of a Keras model without its config; put the "
                            "config.json that Keras wrote beside it."};
    auto config = ConfigReader::parse((*text)->content, (*text)->source);
    if (config && !config->has("class_name"))
        return Error{ErrorCode::Mismatch,
                     config->source() + " lacks the key 'class_name', and " + name +
                         " holds the weights of a Keras model; put the config.json that Keras "
                         "wrote beside it."};
    return config;
}

Result<Translation> translateKeras(std::unique_ptr<TensorSource> file) {
    auto config = kerasConfig(*file);
    if (!config)
        return config.error();
    return translateKerasHub(std::move(file), std::move(*config));
}

} // namespace

Result<Translation> translate(std::unique_ptr<TensorSource> file) {
    if (hasKeras3Names(*file))
        return translateKeras(std::move(file));
    if (!hasTensorFlowNames(*file))
        return Translation{std::move(file), {}};
    auto translated = translateTensorFlow(std::move(file));
    if (!translated)
        return translated.error();
    return Translation{
        std::move(*translated),
        {"A TensorFlow model of Hugging Face: its names were translated to those of PyTorch."}};
}

} // namespace headscope

#include "core/loading/dialect.h"

#include "core/loading/config/config_reader.h"
#include "core/loading/dialects/gguf/gguf_model.h"
#include "core/loading/dialects/keras_hub.h"
#include "core/loading/dialects/keras_model.h"
#include "core/loading/dialects/tensorflow.h"
#include "core/loading/model_texts.h"

namespace headscope {

namespace {

/// KerasHub classes are told by their class; a functional model is told by its layers.
Result<Translation> translateKeras3(std::unique_ptr<TensorSource> file) {
    const auto text = findConfig(*file);
    if (!text)
        return text.error();
    const std::string name = file->path().filename().string();
    if (!*text)
        return Error{ErrorCode::NotFound,
                     name + " holds the weights of a Keras model without its config; put the "
                            "config.json that Keras wrote beside it."};
    const auto& [content, source] = **text;
    auto config = ConfigReader::parse(content, source);
    if (!config)
        return config.error();
    if (!config->has("class_name"))
        return Error{ErrorCode::Mismatch,
                     source + " lacks the key 'class_name', and " + name +
                         " holds the weights of a Keras model; put the config.json that Keras "
                         "wrote beside it."};
    const std::string class_name = config->text({"class_name"});
    if (class_name == "Functional" || class_name == "Sequential")
        return translateKerasModel(std::move(file), content, source);
    return translateKerasHub(std::move(file), std::move(*config));
}

Result<Translation> translateHuggingFace(std::unique_ptr<TensorSource> file) {
    auto translated = translateTensorFlow(std::move(file));
    if (!translated)
        return translated.error();
    return Translation{
        std::move(*translated),
        {"A TensorFlow model of Hugging Face: its names were translated to those of PyTorch."}};
}

} // namespace

Result<Translation> translate(std::unique_ptr<TensorSource> file) {
    if (hasGgufMetadata(*file))
        return translateGguf(std::move(file));
    if (hasKeras3Names(*file))
        return translateKeras3(std::move(file));
    if (const auto config = file->text("model_config")) {
        const std::string source =
            "attribute 'model_config' of " + file->path().filename().string();
        return translateKerasModel(std::move(file), *config, source);
    }
    if (hasTensorFlowNames(*file))
        return translateHuggingFace(std::move(file));
    return Translation{std::move(file), {}};
}

Result<Translation> openTranslated(const std::filesystem::path& path, const std::stop_token& stop) {
    auto opened = openTensorSource(path, defaultTensorBudget(), stop);
    if (!opened)
        return opened.error();
    return translate(*std::move(opened));
}

} // namespace headscope

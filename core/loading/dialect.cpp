#include "core/loading/dialect.h"

#include "core/io/model_folder.h"
#include "core/io/sealed_reading.h"
#include "core/loading/config/config_reader.h"
#include "core/loading/dialects/gguf/gguf_model.h"
#include "core/loading/dialects/hooked_names.h"
#include "core/loading/dialects/keras_hub.h"
#include "core/loading/dialects/keras_model.h"
#include "core/loading/dialects/tensorflow.h"
#include "core/loading/dialects/wrapped_modules.h"
#include "core/loading/model_texts.h"
#include "core/loading/plan/described_model.h"
#include "core/loading/plan/tensor_plan.h"

#include <algorithm>
#include <array>
#include <system_error>

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
                     name + " holds the weights of a Keras model without its config, which "
                            "save_weights() does not write; save the whole model as .keras, or put "
                            "the config.json of its KerasHub preset beside it."};
    const auto& [content, source] = **text;
    auto config = ConfigReader::parse(content, source);
    if (!config)
        return config.error();
    if (!config->has("class_name"))
        return Error{ErrorCode::Mismatch,
                     source + " lacks the key 'class_name', and " + name +
                         " holds the weights of a Keras model; save the whole model as .keras, or "
                         "put the config.json of its KerasHub preset beside it."};
    const std::string class_name = config->text({"class_name"});
    const std::string module = config->textOr({"module"}, "keras_hub");
    const bool of_hub = (module.starts_with("keras_hub") || module.starts_with("keras_nlp")) &&
                        !config->textOr({"registered_name"}, "").starts_with("Custom>");
    if (class_name == "Functional" || class_name == "Sequential" || !of_hub)
        return translateKerasModel(std::move(file), content, source);
    return translateKerasHub(std::move(file), std::move(*config));
}

/// A dialect of files that hold what a model family does, under other names.
struct NamesOfOthers {
    bool (*are_in)(const TensorSource& file);
    Result<std::unique_ptr<TensorSource>> (*translate)(std::unique_ptr<TensorSource> file);
    const char* note;
};
/// A file may have several of them, one inside the other.
constexpr std::array kNamesOfOthers{
    NamesOfOthers{hasTensorFlowNames, translateTensorFlow,
                  "A TensorFlow model of Hugging Face: its names were translated to those of "
                  "PyTorch."},
    NamesOfOthers{hasWrappedModules, withoutWrappedModules,
                  "Modules that are put around others (torch.compile, checkpoints, FSDP, DDP) were "
                  "left out of the names of the tensors."},
    NamesOfOthers{hasForeignHookedNames, withHookedNames,
                  "The tensors were given the names that TransformerLens has for them."},
};

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
    Translation translation{std::move(file), {}};
    for (const NamesOfOthers& names : kNamesOfOthers) {
        if (!names.are_in(*translation.file))
            continue;
        auto translated = names.translate(std::move(translation.file));
        if (!translated)
            return translated.error();
        translation.file = *std::move(translated);
        translation.notes.emplace_back(names.note);
    }
    return translation;
}

Result<Translation> openTranslated(const std::filesystem::path& path, const std::stop_token& stop) {
    const SealedReading reading(stop);
    auto opened = openTensorSource(path, defaultTensorBudget(), stop);
    if (!opened)
        return opened.error();
    const std::filesystem::path weights = (*opened)->path();
    auto translated = translate(*std::move(opened));
    std::error_code ignored;
    if (translated && std::filesystem::is_directory(path, ignored))
        if (std::string note = leftAsideIn(weights.parent_path(), weights); !note.empty())
            translated->notes.push_back(std::move(note));
    return translated;
}

namespace {

class UsedTensors final : public TensorSource {
public:
    UsedTensors(std::unique_ptr<TensorSource> file, std::vector<TensorInfo> tensors)
        : file_(std::move(file)), tensors_(std::move(tensors)) {}

    const std::filesystem::path& path() const override { return file_->path(); }
    std::vector<std::filesystem::path> files() const override { return file_->files(); }
    std::vector<const InputFile*> openFiles() const override { return file_->openFiles(); }
    std::vector<std::string> notes() const override { return file_->notes(); }
    std::span<const TensorInfo> tensors() const override { return tensors_; }
    std::optional<std::string> text(std::string_view key) const override {
        return file_->text(key);
    }
    Result<void> read(const TensorInfo& tensor, NumberTarget target,
                      std::stop_token stop) const override {
        return file_->read(*file_->find(tensor.name), target, std::move(stop));
    }

private:
    std::unique_ptr<TensorSource> file_;
    std::vector<TensorInfo> tensors_; ///< of file_, with other shapes; sorted by name
};

/// One for each tensor of the file, also where that fills several roles.
std::vector<TensorInfo> plannedTensors(const TensorPlan& plan, const ModelSpec& spec) {
    std::vector<TensorInfo> tensors;
    for (const PlannedTensor& planned : plan.tensors) {
        tensors.push_back(*planned.tensor);
        tensors.back().shape =
            fileShape(planned.role, planned.layout, specInFile(spec, planned.layer));
    }
    std::ranges::sort(tensors, {}, &TensorInfo::name);
    const auto same_name = [](const TensorInfo& a, const TensorInfo& b) {
        return a.name == b.name;
    };
    tensors.erase(std::unique(tensors.begin(), tensors.end(), same_name), tensors.end());
    return tensors;
}

} // namespace

Result<std::unique_ptr<TensorSource>> usedTensors(std::unique_ptr<TensorSource> file,
                                                  bool transpose_heads) {
    const bool translated = std::ranges::any_of(file->tensors(), &TensorInfo::isTranslated);
    if (!translated && !transpose_heads)
        return file;
    const auto described = describeModel(*file);
    if (!described)
        return described.error();
    auto plan = planTensors(described->architecture, *file, {.transpose_heads = transpose_heads});
    if (!plan)
        return plan.error();
    if (!translated)
        return file;
    ModelSpec spec = described->architecture.spec;
    if (auto enough = withoutMissing(*plan, spec); !enough)
        return enough.error();
    auto tensors = plannedTensors(*plan, spec);
    return std::unique_ptr<TensorSource>(
        std::make_unique<UsedTensors>(std::move(file), std::move(tensors)));
}

} // namespace headscope

#include "core/export/formats/hugging_face_folder.h"

#include "core/export/formats/load_model_script.h"
#include "core/export/formats/weight_stream.h"
#include "core/io/atomic_file.h"
#include "core/io/safetensors_writer.h"

#include <nlohmann/json.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

Result<void> writeWeights(const fs::path& path, WeightStream& weights) {
    return writeSafetensors(path, weights.arrays(),
                            [&weights](std::size_t array, const AppendBytes& append) {
                                return weights.produce(array, append);
                            });
}

Result<void> writeTexts(const fs::path& folder,
                        const std::vector<std::pair<const char*, std::string_view>>& texts) {
    for (const auto& [name, text] : texts)
        if (!text.empty())
            if (auto written = writeFileAtomically(folder / name, text); !written)
                return written;
    return {};
}

/// As torch spells it.
const char* torchName(FloatFormat format) {
    switch (format) {
    case FloatFormat::Float16:
        return "float16";
    case FloatFormat::BFloat16:
        return "bfloat16";
    case FloatFormat::Float32:
        break;
    }
    return "float32";
}

Result<std::string> withNumberFormat(const std::string& config, FloatFormat format) {
    auto json = configToChange(config);
    if (!json)
        return json.error();
    json->erase("dtype");
    (*json)["torch_dtype"] = torchName(format);
    return json->dump(2);
}

} // namespace

Result<void> writeHuggingFaceFolder(const fs::path& folder, const TensorSource& weights,
                                    FloatFormat format, const HuggingFaceConfig& config,
                                    const ModelFileTexts& texts, const Progress& progress,
                                    const std::stop_token& stop, const InspectFile& inspect) {
    WeightStream stream(weights, format, progress, stop);
    const auto config_text = withNumberFormat(config.text, format);
    if (!config_text)
        return config_text.error();
    return writeFolderAtomically(folder, [&](const fs::path& made) -> Result<void> {
        if (auto written = writeWeights(made / "model.safetensors", stream); !written)
            return written;
        auto written =
            writeTexts(made, {{"config.json", *config_text},
                              {"tokenizer.json", texts.tokenizer},
                              {"tokenizer_config.json", texts.tokenizer_config},
                              {"load_model.py", config.needs_loader ? loadModelScript() : ""}});
        if (!written)
            return written;
        return inspect ? inspect(made) : Result<void>();
    });
}

} // namespace headscope

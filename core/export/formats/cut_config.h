#pragma once

#include "core/base/result.h"
#include "core/model/model.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace headscope {

/// A config.json that was read before, to be changed and written. Fails for one that is nested
/// deeper than any config is, since writing JSON takes stack for each level.
Result<nlohmann::json> configToChange(std::string_view config);

/// The text of a config.json changed to what `smaller`, which was cut from its model, is now, for
/// Headscope's own files (core/loading/model_texts.h). Fails as configToChange() does.
Result<std::string> cutConfig(const std::string& config, const Model& smaller);

/// A config.json by which transformers opens the smaller model.
struct HuggingFaceConfig {
    std::string text;
    /// Layers differ in a way that no config can say: load_model.py opens the folder, and
    /// transformers alone refuses it ("per_layer_config").
    bool needs_loader = false;
};

/// Fails for families whose network in transformers depends on the number of heads in other ways,
/// and as configToChange() does.
Result<HuggingFaceConfig> huggingFaceConfig(const std::string& config, const Model& smaller);

} // namespace headscope

#pragma once

#include "core/model/model.h"

#include <string>

namespace headscope {

/// The text of a config.json changed to what `smaller`, which was cut from its model, is now, for
/// Headscope's own files (core/loading/cut_config.h).
std::string cutConfig(const std::string& config, const Model& smaller);

/// Whether attention has an output bias.
bool hasOutputBias(const Model& model);

} // namespace headscope

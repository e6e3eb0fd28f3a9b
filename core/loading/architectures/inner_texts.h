#pragma once

#include "core/loading/architectures/architecture.h"

#include <span>

namespace headscope {

Architecture describeVisionLanguage(ConfigReader& config, const TensorSource& file);

/// Text models that exist only inside of others, under their model_type.
std::span<const Family> innerTexts();

} // namespace headscope

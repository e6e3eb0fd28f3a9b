#pragma once

#include "core/loading/architectures/architecture.h"

#include <span>
#include <string_view>

namespace headscope {

Architecture describeVisionLanguage(ConfigReader& config, const TensorSource& file);

/// Text models that exist only inside of others, under their model_type.
std::span<const Family> innerTexts();

/// What the config of a text inside of another model leaves out where transformers has it as
/// defaults; "{}" where it leaves out nothing.
std::string_view usualSizes(std::string_view model_type);

} // namespace headscope
